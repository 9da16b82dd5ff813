// `trailblaze serve` with curl: what goes well, and the right status and body for what does not.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import test, { afterEach, before, describe } from 'node:test';

import { resembles } from './judge.mjs';
import { deskWithStuckTool, here, serve } from './lab.mjs';

const COMMANDS = 'trailblaze.v1.TrailblazeCommands';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const MOST_BYTES = 16 << 20;
let address;

function curl(path, body, headers, ...options) {
  const told = ['--write-out', '%{stderr}%{http_code} %{http_version} %{content_type}'];
  const sent = Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]);
  const data = body === undefined ? [] : ['--data-binary', '@-'];
  const args = ['--silent', '--noproxy', '*', '--max-time', '30', ...told, ...sent, ...data, ...options, `${address}/${path}`];
  const { status, stdout, stderr, error } = spawnSync('curl', args, { input: body, maxBuffer: 2 * MOST_BYTES });
  if (error) throw error;
  assert.equal(status, 0, `curl ends with ${status}: ${stderr}`);
  const [, code, version, type] = /^(\d+) (\S+) (.*)$/.exec(stderr.toString());
  return { status: Number(code), version, type, body: stdout };
}

const ask = (command, body, headers = JSON_TYPE, ...options) => curl(`${COMMANDS}/${command}`, body, headers, ...options);

function succeeds(command, request, expected) {
  const { status, type, body } = ask(command, JSON.stringify(request));
  assert.deepEqual([status, type], [200, 'application/json'], body.toString());
  resembles(JSON.parse(body), expected);
}

/** An error of Connect, with a failure of this kind as its detail. */
function isRefused(answer, status, code, message, kind) {
  assert.deepEqual([answer.status, answer.type], [status, 'application/json'], answer.body.toString());
  const told = JSON.parse(answer.body);
  resembles(told, { code, message });
  if (kind) resembles(told, { details: [{ type: 'trailblaze.v1.Failure', debug: { kind } }] });
}

/** A message in a frame, as gRPC has it. */
const frame = (text) => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(Buffer.byteLength(text), 1);
  return Buffer.concat([head, Buffer.from(text)]);
};

describe('curl', () => {
  before(async () => {
    address = await serve(deskWithStuckTool());
    succeeds('LaunchApp', { packageId: 'com.example.desk' }, { success: true });
  });

  // After whatever was sent, the server is there and nothing is lost.
  afterEach(() => succeeds('IsVisible', { text: 'Sign in' }, { value: true }));

  test('an action that fails has an answer', () => {
    const failure = { kind: 'NotFound', hint: "did you mean 'Sign in'?", candidates: ['Sign in'] };
    succeeds('Tap', { text: 'Sgn in' }, { success: false, failure });
    // By the name that the field has here.
    const missing = { kind: 'MissingRequiredArgs', message: "'stopApp' needs 'packageId'" };
    succeeds('StopApp', {}, { success: false, failure: missing });
  });

  test('names may be those of the file', () => {
    succeeds('IsVisible', { text: 'Sign in', device_id: 'sim' }, { value: true });
    succeeds('IsVisible', { text: 'Moon', timeout_ms: 100 }, { value: false });
  });

  test('nothing at all is a request without arguments', () => {
    const { status, body } = ask('ListDevices', '');
    assert.equal(status, 200);
    resembles(JSON.parse(body), { devices: [{ id: 'sim', groups: ['maestro'] }] });
  });

  test('HTTP/2 without TLS', () => {
    const answer = ask('IsVisible', '{"text": "Sign in"}', JSON_TYPE, '--http2-prior-knowledge');
    assert.deepEqual([answer.status, answer.version], [200, '2']);
    assert.deepEqual(JSON.parse(answer.body), { value: true });
  });

  test('what is sent without a type that is known', () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/xml', '']) {
      const answer = ask('IsVisible', '{"text": "Sign in"}', { 'Content-Type': type });
      isRefused(answer, 415, 'unknown', '…Content-Type…', 'UnknownContentType');
    }
  });

  test('unknown methods and services', () => {
    const unknown = (path) => [404, 'unimplemented', `there is no method '${path}'`, 'UnknownMethod'];
    isRefused(ask('Fly', '{}'), ...unknown(`${COMMANDS}/Fly`));
    isRefused(curl('trailblaze.v1.FlightCommands/Fly', '{}', JSON_TYPE), ...unknown('trailblaze.v1.FlightCommands/Fly'));
    assert.equal(curl('', '{}', JSON_TYPE).status, 404);
  });

  test('other verbs', () => {
    assert.equal(ask('IsVisible', undefined, {}).status, 405);
    assert.equal(ask('IsVisible', '{}', JSON_TYPE, '--request', 'PUT').status, 405);
  });

  test('bodies that are too large', () => {
    const large = JSON.stringify({ text: 'x'.repeat(MOST_BYTES) });
    isRefused(ask('HasText', large), 429, 'resource_exhausted', '… exceeds limit 16777216', 'TooLarge');
    const chunked = { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' };
    isRefused(ask('HasText', large, chunked), 429, 'resource_exhausted', '…', 'TooLarge');
    isRefused(ask('HasText', large.repeat(3)), 429, 'resource_exhausted', '…', 'TooLarge');
    succeeds('HasText', { text: 'x'.repeat(MOST_BYTES - 100) }, { value: false });
  });

  test('bytes that are no UTF-8', () => {
    const body = Buffer.concat([Buffer.from('{"text": "'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
    isRefused(ask('IsVisible', body), 400, 'invalid_argument', '…the JSON is not UTF-8…', 'InvalidRequest');
    const binary = { 'Content-Type': 'application/proto' };
    isRefused(ask('IsVisible', Buffer.from([0x0a, 2, 0xc3, 0x28]), binary), 400, 'invalid_argument', '…UTF-8…', 'InvalidRequest');
  });

  const malformed = ['{', '[]', '"text"', 'null', '{"text": 1}', '{"text": "a"} {}', '{"txt": "a"}', '{"timeoutMs": -1}'];
  for (const body of [...malformed, '[['.repeat(5000)]) {
    test(`malformed JSON: ${body.slice(0, 20)}`, () => {
      const why = 'this is no trailblaze.v1.IsVisibleRequest: …';
      isRefused(ask('IsVisible', body), 400, 'invalid_argument', why, 'InvalidRequest');
    });
  }

  test('routing that does not fit', () => {
    const tap = (routing) => ask('Tap', JSON.stringify({ text: 'Help', ...routing }));
    const unknown = 'Unknown invocation ID: inv-9. The tool call may have completed or timed out.';
    isRefused(tap({ invocationId: 'inv-9' }), 400, 'invalid_argument', unknown, 'UnknownInvocation');
    isRefused(tap({ sessionId: 'another' }), 400, 'invalid_argument', '…another…', 'WrongSession');
    isRefused(tap({ deviceId: 'moon' }), 404, 'not_found', "there is no device 'moon'", 'UnknownDevice');
  });

  test('a deadline', () => {
    const soon = { ...JSON_TYPE, 'Connect-Timeout-Ms': '300' };
    isRefused(ask('CallTool', '{"name": "desk_stuck"}', soon), 504, 'deadline_exceeded', '…', 'TimedOut');
    for (const none of ['soon', '-5', '1.5', '99999999999']) {
      const answer = ask('IsVisible', '{"text": "Sign in"}', { ...JSON_TYPE, 'Connect-Timeout-Ms': none });
      isRefused(answer, 400, 'invalid_argument', `'${none}' in the header 'connect-timeout-ms' is no time`, 'InvalidRequest');
    }
  });

  test('gRPC-Web', () => {
    const headers = { 'Content-Type': 'application/grpc-web+json' };
    const web = (body) => ask('IsVisible', body, headers);
    const end = (status) => Buffer.from(`grpc-status: ${status}`);
    const good = web(frame('{"text": "Sign in"}'));
    assert.deepEqual([good.status, good.type], [200, 'application/grpc-web+json']);
    assert.ok(good.body.includes('{"value":true}') && good.body.includes(end(0)), good.body.toString());
    const binary = ask('IsVisible', frame('\n\x07Sign in'), { 'Content-Type': 'application/grpc-web+proto' });
    assert.deepEqual(binary.body.subarray(0, 7), Buffer.from([0, 0, 0, 0, 2, 8, 1]));
    for (const body of [frame('{'), Buffer.from('{}'), Buffer.from([0, 0, 0, 0, 9, 1])]) {
      const { status, body: said } = web(body);
      assert.equal(status, 200);
      assert.ok(said.includes(end(3)), said.toString());
    }
  });

  test('a screenshot streams', () => {
    const { status, type, body } = ask('TakeScreenshot', frame('{}'), { 'Content-Type': 'application/connect+json' });
    assert.deepEqual([status, type], [200, 'application/connect+json']);
    const length = body.readUInt32BE(1);
    const { data, mediaType } = JSON.parse(body.subarray(5, 5 + length));
    assert.equal(mediaType, 'image/png');
    assert.equal(Buffer.from(data, 'base64').subarray(1, 4).toString(), 'PNG');
  });

  test('a stream and a single answer are asked for in different ways', () => {
    const { status, body } = ask('TakeScreenshot', '{}');
    assert.ok([400, 415].includes(status), `${status}: ${body}`);
    // Streams say at their end what became of them.
    const single = ask('IsVisible', frame('{"text": "Sign in"}'), { 'Content-Type': 'application/connect+json' });
    resembles(JSON.parse(single.body.subarray(5)), { error: { code: 'invalid_argument' } });
  });

  test('who may not ask', () => {
    for (const headers of [{ Host: 'evil.example' }, { Origin: 'http://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
      assert.equal(ask('ListDevices', '{}', { ...JSON_TYPE, ...headers }).status, 403);
    }
  });
});

for (const [how, ...args] of [['ends'], ['is stopped', 'waits']]) {
  test(`no server outlives its tests, also where the file ${how}`, async () => {
    const env = { ...process.env };
    // It is no part of these tests.
    delete env.NODE_TEST_CONTEXT;
    const child = spawn(process.execPath, [here('./runners/leaves.mjs'), ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    // Not 'close', which a server that is left keeps from coming.
    const ended = once(child, 'exit');
    const servers = () => told.match(/http:\S+/g) ?? [];
    let told = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      told += text;
      if (args[0] && servers().length === 3) child.kill();
    });
    await ended;
    assert.equal(servers().length, 3, told);
    for (const server of servers()) await assert.rejects(fetch(server), server);
  });
}
