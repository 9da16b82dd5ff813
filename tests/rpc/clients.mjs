// What every client must send and say, whatever its language.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import test, { before, describe } from 'node:test';

import { startProgram } from '../../sdks/typescript/scripting/test/peer.mjs';
import { HANGS, fake } from './fake.mjs';
import { judge, list, resembles } from './judge.mjs';
import { Space, here, last, serve } from './lab.mjs';

/** Runs a program beside this one, so that it can be answered, and gives what it printed. */
export function printed(command, args, { cwd, env } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    const told = ['', ''];
    [child.stdout, child.stderr].forEach((stream, n) => stream.setEncoding('utf8').on('data', (text) => (told[n] += text)));
    child.on('error', reject).on('close', (code) => (code === 0 ? resolve(told[0]) : reject(new Error(told.join('\n')))));
  });
}

/** A server with a token, which the client has from the environment. */
export function bringsItsToken(name, run) {
  test(`${name}: a server that wants a token`, async () => {
    const space = new Space(last);
    space.write('list.json', JSON.stringify(list.filter(({ command }) => command === 'listDevices')));
    const address = await serve(here('./workspace'), '--rpc-token', 'open sesame');
    const [command, args, options] = run(space.path('list.json'), address);
    const outcome = async (env) => JSON.parse(await printed(command, args, { ...options, env }));
    resembles(await outcome({}), { failure: { kind: 'Unauthenticated', message: 'this server wants a token' } });
    judge(list[0], await outcome({ TRAILBLAZE_RPC_TOKEN: 'open sesame' }));
  });
}

/** The list against a live server on the sim. `run` gives the command for a list and an address. */
export function runsTheList(name, run) {
  describe(`${name}: the list`, () => {
    let outcomes;
    before(async () => {
      const address = await serve(here('./workspace'), '--device', 'sim');
      const [command, args, options] = run(here('./conformance.json'), address);
      const told = await printed(command, args, options);
      outcomes = told.trim().split('\n').map((line) => JSON.parse(line));
    });
    list.forEach((one, number) => test(one.name, () => judge(one, outcomes[number])));
  });
}

const CONTEXT = { deviceId: 'd1', sessionId: 'session-1', invocationId: 'inv-1' };
const OLD = { deviceId: 'd1', sessionId: 'session-1' };
const hasText = (text, routing = {}, headers = {}) => ({
  method: 'TrailblazeCommands.HasText',
  message: { text, ...routing },
  authorization: undefined,
  timeout: undefined,
  ...headers,
});
const ours = { authorization: 'Bearer ours' };
const sent = (method, message) => ({ ...hasText(), ...ours, method, message: { ...message, ...CONTEXT } });
const SENT = [
  hasText('old', OLD),
  ...Array(2).fill(hasText('global')),
  hasText('options', {}, { authorization: 'Bearer mine', timeout: '1500' }),
  hasText('environment', {}, ours),
  hasText('callback', {}, ours),
  hasText('nothing', {}, ours),
  sent('TrailblazeCommands.Tap', { x: 100, y: 200 }),
  sent('TrailblazeCommands.Tap', { text: 'Sign in', index: 1 }),
  sent('MaestroCommands.Swipe', { direction: 'UP', durationMs: 300 }),
  sent('TrailblazeCommands.CallTool', { name: 'shop_order', arguments: { count: 2, tags: ['a', null] } }),
];

/**
 * Every way to make a client, so many of them from a context. `project` has the messages of the contract. What a language sends
 * besides is in `more`, each with its answer; `check` looks at what else the runner said.
 */
export function hasAllShapes(name, project, run, { contexts = 4, more = [], check = () => {} } = {}) {
  test(`${name}: a client in every shape`, async () => {
    const server = await fake(project);
    const usual = [...Array(contexts).fill(hasText('context', CONTEXT)), ...SENT];
    server.answers.push(...usual.map(({ method }) => (method.endsWith('HasText') ? {} : { success: true })));
    server.answers.push(...more.map(([, , answer]) => answer));
    const [command, args, options] = run(server.address);
    // No proxy is asked about this machine.
    const proxy = 'http://127.0.0.1:9';
    const env = { ...options?.env, HTTP_PROXY: proxy, http_proxy: proxy, NO_PROXY: '', no_proxy: '' };
    const said = JSON.parse(await printed(command, args, { ...options, env }));
    assert.deepEqual(server.requests, [...usual, ...more.map(([method, message]) => sent(method, message))]);
    assert.deepEqual([said.groups, said.platform], [['maestro'], 'android']);
    assert.match(said.sampling, /Trailblaze lends its model to no tool/);
    assert.equal(said.gone[0], 'Unavailable');
    assert.match(said.gone[1], /^Trailblaze does not answer at http:\/\/127\.0\.0\.1:9: ./);
    check(said);
  });
}

/** What a call that is given up ends with, and whom the server hears hang up. */
export const LATE = (address) => ['TimedOut', 'deadline_exceeded', `Trailblaze did not answer in time at http://${address}`];

/** Calls that a server never answers, which end all the same. `expected` gives the outcomes for an address. */
export function givesUp(name, project, run, expected) {
  test(`${name}: a server that does not answer`, { timeout: 60_000 }, async () => {
    const server = await fake(project);
    const outcomes = expected(server.address);
    const reached = Object.keys(outcomes).filter((how) => !['afterwards', 'signal before'].includes(how));
    server.answers.push(...reached.map(() => HANGS), { value: true });
    const [command, args, options] = run(server.address);
    const told = JSON.parse(await printed(command, args, options));
    for (const [how, outcome] of Object.entries(outcomes)) resembles(told[how], outcome);
    assert.deepEqual(Object.keys(told).sort(), Object.keys(outcomes).sort());
    // The device stops when nobody listens any more.
    const isStream = (how) => how.includes('stream');
    const methods = reached.map((how) => `TrailblazeCommands.${isStream(how) ? 'TakeScreenshot' : 'Tap'}`);
    assert.deepEqual(server.abandoned.sort(), methods.sort());
  });
}

const REFUSAL = { kind: 'NotFound', message: "no element with text 'Moon' within 5 s" };

/** A toolset on an SDK of MCP, whose client finds its way by what comes with a call. */
export function findsItsWay(name, project, start) {
  test(`${name}: the context of a tool call`, async () => {
    const server = await fake(project);
    const [command, args, options] = start();
    const peer = startProgram(command, args, options);
    last(() => peer.close());
    const clientInfo = { name: 'test', version: '1.0.0' };
    await peer.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    peer.write({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const device = { id: 'd1', platform: 'android' };
    const trailblaze = { baseUrl: `http://${server.address}`, sessionId: 'session-1', invocationId: 'inv-1', device };
    const meta = { trailblazeInvocationId: 'inv-1', trailblaze };

    server.answers.push({ value: true });
    const seen = await peer.call('desk_look', { text: 'Sign in' }, meta);
    assert.equal(seen.content?.[0].text, 'true on android, a phone', `${JSON.stringify(seen)}\n${peer.stderr}`);
    server.answers.push({ success: false, failure: REFUSAL });
    const missed = await peer.call('desk_tap', { text: 'Moon' }, meta);
    assert.equal(missed.isError, true);
    assert.ok(missed.content[0].text.endsWith(REFUSAL.message), missed.content[0].text);
    assert.deepEqual(
      server.requests.map(({ message }) => message),
      [{ text: 'Sign in', ...CONTEXT }, { text: 'Moon', ...CONTEXT }],
    );
  });
}
