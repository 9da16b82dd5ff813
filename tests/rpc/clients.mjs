// What every client must send and say, whatever its language.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import test, { after, before, describe } from 'node:test';

import { startProgram } from '../../sdks/typescript/scripting/test/peer.mjs';
import { fake } from './fake.mjs';
import { judge, list, resembles } from './judge.mjs';
import { Space, here, serve } from './lab.mjs';

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
    const space = new Space(after);
    space.write('list.json', JSON.stringify(list.filter(({ command }) => command === 'listDevices')));
    const address = await serve(after, here('./workspace'), '--rpc-token', 'open sesame');
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
      const address = await serve(after, here('./workspace'), '--device', 'sim');
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
const SENT = [
  ...Array(4).fill(hasText('context', CONTEXT)),
  hasText('old', OLD),
  hasText('global'),
  hasText('options', {}, { authorization: 'Bearer mine', timeout: '1500' }),
  hasText('environment', {}, ours),
  hasText('callback', {}, ours),
  hasText('nothing', {}, ours),
  { ...hasText(), method: 'TrailblazeCommands.Tap', message: { x: 100, y: 200, ...CONTEXT }, ...ours },
  { ...hasText(), method: 'TrailblazeCommands.Tap', message: { text: 'Sign in', index: 1, ...CONTEXT }, ...ours },
  { ...hasText(), method: 'MaestroCommands.Swipe', message: { direction: 'UP', durationMs: 300, ...CONTEXT }, ...ours },
  {
    ...hasText(),
    method: 'TrailblazeCommands.CallTool',
    message: { name: 'shop_order', arguments: { count: 2, tags: ['a', null] }, ...CONTEXT },
    ...ours,
  },
];

/** Every way to make a client. `project` has the messages of the contract. */
export function hasAllShapes(name, project, run) {
  test(`${name}: a client in every shape`, async () => {
    const server = await fake(after, project);
    server.answers.push(...SENT.map(({ method }) => (method.endsWith('HasText') ? {} : { success: true })));
    const [command, args, options] = run(server.address);
    // No proxy is asked about this machine.
    const proxy = 'http://127.0.0.1:9';
    const env = { ...options?.env, HTTP_PROXY: proxy, http_proxy: proxy, NO_PROXY: '', no_proxy: '' };
    const said = JSON.parse(await printed(command, args, { ...options, env }));
    assert.deepEqual(server.requests, SENT);
    assert.deepEqual([said.groups, said.platform], [['maestro'], 'android']);
    assert.match(said.sampling, /Trailblaze lends its model to no tool/);
    assert.equal(said.gone[0], 'Unavailable');
    assert.match(said.gone[1], /^Trailblaze does not answer at http:\/\/127\.0\.0\.1:9: ./);
  });
}

const REFUSAL = { kind: 'NotFound', message: "no element with text 'Moon' within 5 s" };

/** A toolset on an SDK of MCP, whose client finds its way by what comes with a call. */
export function findsItsWay(name, project, start) {
  test(`${name}: the context of a tool call`, async () => {
    const server = await fake(after, project);
    const [command, args, options] = start();
    const peer = startProgram(command, args, options);
    after(() => peer.close());
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
