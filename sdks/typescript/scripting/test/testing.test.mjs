// Tests of tools, as 'trailblaze tool test' runs them: each is a tool that is called.

import assert from 'node:assert/strict';
import test, { describe } from 'node:test';

import { fakeEngine } from './engine.mjs';
import { Peer } from './peer.mjs';

const engine = fakeEngine();
let receive;
const peer = new Peer((message) => receive(message));
globalThis[Symbol.for('trailblaze.host')] = Object.freeze({
  connect: (listener) => void (receive = listener),
  send: (text) => peer.receive(JSON.parse(text)),
  call: engine.call,
});

const { AssertionError, assert: ours, test: define } = await import('@trailblaze/scripting/test');

const meta = { sessionId: 'session-1', invocationId: 'call-1', memory: { user: 'ada' }, device: {}, runtime: 'host' };
const run = async (name) => {
  const { isError, content, _meta } = await peer.call(name, {}, { trailblaze: meta });
  return { isError, text: content.map((part) => part.text).join(''), ..._meta?.trailblaze };
};

define('passes', () => 'what it returns is nobody’s business');
define('waits', async ({ client, memory }) => {
  ours.equal(memory.user, 'ada');
  ours.equal((await client.callTool('shop_login', { user: 'ada' })).text, 'signed in');
  await ours.rejects(client.tap('Missing'), /no element with text/);
});
define('fails', async () => {
  ours.equal(1, 2);
});
define('fails later', async () => {
  await null;
  ours.fail('given up');
});
define('has a tool that fails', async ({ client }) => {
  await client.tap('Missing');
});

test('a test is a tool that nobody else sees', async () => {
  const { tools } = (await peer.ask('tools/list')).result;
  assert.equal(tools.length, 5);
  assert.deepEqual(tools[0], {
    name: 'passes',
    description: "The test 'passes'",
    inputSchema: { type: 'object' },
    _meta: { 'trailblaze/isForLlm': false, 'trailblaze/isRecordable': false },
  });
});

test('a test passes when it returns', async () => {
  assert.deepEqual(await run('passes'), { isError: false, text: '' });
});

test('a test gets what a handler gets', async () => {
  engine.calls.length = 0;
  assert.deepEqual(await run('waits'), { isError: false, text: '' });
  assert.deepEqual(engine.calls.map(({ tool }) => tool), ['shop_login', 'tap']);
});

test('a test that fails says what and where', async () => {
  const failed = await run('fails');
  assert.deepEqual([failed.isError, failed.text, failed.variant], [true, '1 is not 2', 'ExceptionThrown']);
  assert.match(failed.stack, /testing\.test\.mjs/);
  assert.equal((await run('fails later')).text, 'given up');
  assert.equal((await run('has a tool that fails')).text, "no element with text 'Missing'");
});

test('a name is used once', () => {
  assert.throws(() => define('passes', () => {}), { message: "tool 'passes' is defined twice in this program" });
});

describe('assertions', () => {
  const loop = () => {
    throw new RangeError('too far');
  };
  const later = async () => loop();
  const several = () => [new Date(5), /a/g, new Map([[1, { a: 1 }]]), new Set([1])];
  class Point {
    constructor(x) {
      this.x = x;
    }
  }

  for (const [name, holds] of Object.entries({
    'ok of a value': () => ours.ok('x'),
    'equal of NaN': () => ours.equal(NaN, NaN),
    'notEqual of a zero and its negative': () => ours.notEqual(0, -0),
    'deepEqual of keys in another order': () => ours.deepEqual({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }),
    'deepEqual of dates, patterns, maps and sets': () => ours.deepEqual(several(), several()),
    'match of a text': () => ours.match('P-17', /^P-\d+$/),
    'throws of anything': () => ours.throws(loop),
    'throws of a class': () => ours.throws(loop, RangeError),
    'throws of null': () =>
      ours.throws(() => {
        throw null;
      }),
  })) {
    test(name, () => holds());
  }

  for (const [name, breaks, message] of [
    ['ok', () => ours.ok(''), '"" is not true'],
    ['ok with a message', () => ours.ok(0, 'no parcels'), 'no parcels'],
    ['equal', () => ours.equal('1', 1), '"1" is not 1'],
    ['equal of undefined', () => ours.equal(undefined, null), 'undefined is not null'],
    ['notEqual', () => ours.notEqual('a', 'a'), 'it is "a"'],
    ['deepEqual', () => ours.deepEqual({ a: [1, 2] }, { a: [1, 3] }), '{"a":[1,2]} is not {"a":[1,3]}'],
    ['deepEqual of a key too many', () => ours.deepEqual({ a: 1, b: 2 }, { a: 1 }), '{"a":1,"b":2} is not {"a":1}'],
    ['deepEqual of other keys', () => ours.deepEqual({ a: undefined }, { b: undefined }), '{} is not {}'],
    ['deepEqual of a list and an object', () => ours.deepEqual([], {}), '[] is not {}'],
    ['deepEqual of classes', () => ours.deepEqual(new Point(1), { x: 1 }), '{"x":1} is not {"x":1}'],
    ['deepEqual of null', () => ours.deepEqual({}, null), '{} is not null'],
    ['match', () => ours.match('X-17', /^P/), '"X-17" does not match /^P/'],
    ['throws', () => ours.throws(() => {}), 'nothing was thrown'],
    ['throws of another', () => ours.throws(loop, /near/), 'RangeError: too far was thrown, not /near/'],
    ['fail', () => ours.fail(), 'failed'],
  ]) {
    test(`${name} that does not hold`, () => {
      assert.throws(breaks, (thrown) => thrown instanceof AssertionError && thrown.name === 'AssertionError');
      assert.throws(breaks, { message });
    });
  }

  test('a failure has what was compared', () => {
    assert.throws(() => ours.equal(1, 2), { actual: 1, expected: 2 });
  });

  test('what was thrown is given back', async () => {
    assert.equal(ours.throws(loop).message, 'too far');
    assert.equal((await ours.rejects(later(), RangeError)).message, 'too far');
    assert.equal((await ours.rejects(later, /far/)).message, 'too far');
  });

  test('rejects that does not hold', async () => {
    await assert.rejects(ours.rejects(Promise.resolve(1)), { message: 'nothing was thrown' });
    await assert.rejects(ours.rejects(later, /near/), { message: 'RangeError: too far was thrown, not /near/' });
  });
});
