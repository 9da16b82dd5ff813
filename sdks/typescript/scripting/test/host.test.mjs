// The toolset inside of the engine: no process, no stdin, only the host object.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import test, { before } from 'node:test';

import { cases } from './cases.mjs';
import { fakeEngine } from './engine.mjs';
import { Peer } from './peer.mjs';

const engine = fakeEngine();
let receive;
let blame;
const lost = [];
// The engine tells of them, so here nobody else does; the tests' runner listens once they run.
before(() => {
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', (error) => lost.push(error));
});
const peer = new Peer((message) => receive(message));
let connections = 0;
globalThis[Symbol.for('trailblaze.host')] = Object.freeze({
  connect(listener, ours) {
    connections++;
    receive = listener;
    ({ blamed: blame } = ours);
  },
  // An answer counts when nothing is left to run, with what nobody handled until then.
  send: (text) => setImmediate(() => peer.receive(JSON.parse(lost.length ? blame(lost.shift(), text) : text))),
  call: engine.call,
});

const { VERSION, tool } = await import('@trailblaze/scripting');
assert.equal(connections, 0);
await import('./fixtures/toolset.mjs');

test('the version is that of the package', () => {
  assert.equal(VERSION, createRequire(import.meta.url)('@trailblaze/scripting/package.json').version);
});

test('one connection is made, by the first tool', () => assert.equal(connections, 1));

cases(test, {
  peer,
  engine,
  meta: {
    sessionId: 'session-1',
    invocationId: 'call-1',
    device: { id: 'sim', platform: 'android', widthPixels: 1080, heightPixels: 2400, driverType: 'sim' },
    memory: { user: 'ada' },
    runtime: 'ondevice',
  },
});

const handler = () => {};
const define = (definition) => () => tool({ name: 'late', description: 'Late', handler, ...definition });

for (const [definition, message] of [
  [{ name: '' }, 'a tool needs a name'],
  [{ name: 'greet' }, "tool 'greet' is defined twice in this program"],
  [{ description: undefined }, "tool 'late': description is missing; it must be a text"],
  [{ handler: 'x' }, `tool 'late': handler must be a function, not "x"`],
  [{ meta: { isForLlm: 'yes' } }, `tool 'late': meta.isForLlm must be true or false, not "yes"`],
  [{ meta: { supportedDrivers: 'sim' } }, `tool 'late': meta.supportedDrivers must be a list of texts, not "sim"`],
  [{ meta: { toolset: 7 } }, "tool 'late': meta.toolset must be a text, not 7"],
  [{ input: { type: 'string' } }, "tool 'late': input must describe an object, not 'string'"],
  [{ input: 5 }, "tool 'late': input must be a JSON Schema or a schema object"],
]) {
  test(message, () => assert.throws(define(definition), { message }));
}

test('unknown keys are named with the tool and what is known', () => {
  const meta = /^meta of tool 'late': unknown key 'isForLLM'; known are isForLlm, isRecordable,/;
  assert.throws(define({ meta: { isForLLM: true } }), { name: 'TypeError', message: meta });
  const definition = /^tool 'late': unknown key 'inputSchema'; known are name, description, input,/;
  assert.throws(define({ inputSchema: {} }), { name: 'TypeError', message: definition });
});

test('a schema that cannot be turned into JSON Schema says so', () => {
  const input = { '~standard': { version: 1, vendor: 'oldlib', validate: (value) => ({ value }) } };
  assert.throws(define({ input }), { message: /^tool 'late': oldlib cannot describe this input as JSON Schema/ });
});

test('a definition that was refused can be corrected', async () => {
  define({})();
  const { tools } = (await peer.ask('tools/list')).result;
  assert.equal(tools.at(-1).name, 'late');
});
