// The toolsets in Python as MCP servers on stdin and stdout, in both generations of the protocol. TRAILBLAZE_PYTHON is a
// Python with the packages of `requirements.txt`. Whoever they call back is played by this file.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import test, { after, before, describe } from 'node:test';
import { fileURLToPath } from 'node:url';

import { startProgram } from '../../sdks/typescript/scripting/test/peer.mjs';
import { cases, flags, given, isIn, python } from './lab.mjs';
import { endedAsListed, envelope, flagsOf } from './peers.mjs';

const GENERATIONS = ['2025-11-25', '2026-07-28'];
const clientInfo = { name: 'test', version: '1.0.0' };

/** What every request of a generation carries in its `_meta`. */
const metaOf = (generation) =>
  generation === '2025-11-25'
    ? {}
    : {
        'io.modelcontextprotocol/protocolVersion': generation,
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': clientInfo,
      };

async function start(toolset, generation, env) {
  const file = fileURLToPath(new URL(`./${toolset}.py`, import.meta.url));
  const peer = startProgram(given('TRAILBLAZE_PYTHON'), ['-B', file], { env });
  if (generation === '2025-11-25') {
    await peer.ask('initialize', { protocolVersion: generation, capabilities: {}, clientInfo });
    peer.write({ jsonrpc: '2.0', method: 'notifications/initialized' });
  } else {
    const { result } = await peer.ask('server/discover', { _meta: metaOf(generation) });
    assert.ok(result.supportedVersions.includes(generation));
  }
  return peer;
}

/** What the engine answers to the calls of a case, by the name of the tool. */
const ANSWERS = {
  isVisible: { success: true, text_content: 'true', structured_content: { value: true } },
  getElementText: { success: true, text_content: 'Welcome Eve', structured_content: { value: 'Welcome Eve' } },
  shop_greet: { success: true, text_content: 'Hello Ada' },
  shop_missing: { success: false, error_message: 'missing required arguments: email, pin', kind: 'MissingRequiredArgs' },
};

/** The engine's end of the callback channel. */
function engine() {
  const requests = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    requests.push({ method: request.method, path: request.url, ...JSON.parse(text) });
    const { tool_name: tool } = requests.at(-1).action;
    const answer = ANSWERS[tool] ?? { success: true, text_content: '' };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ result: { type: 'call_tool_result', ...answer } }));
  });
  const started = new Promise((done) => server.listen(0, '127.0.0.1', done));
  const url = () => `http://127.0.0.1:${server.address().port}`;
  return { requests, started, url, close: () => server.close() };
}

for (const toolset of python) {
  for (const generation of GENERATIONS) {
    describe(`${toolset}, ${generation}`, () => {
      const callbacks = engine();
      const schemas = new Map();
      let peer;
      const call = (one, baseUrl) => {
        const { argument, meta } = envelope(one, baseUrl);
        // fastmcp seals its schemas and refuses every argument that is not in them.
        const sealed = schemas.get(one.tool).additionalProperties === false;
        const args = sealed ? { ...one.args } : { ...one.args, _trailblazeContext: argument };
        return peer.call(one.tool, args, { ...metaOf(generation), trailblaze: meta });
      };
      before(async () => {
        await callbacks.started;
        peer = await start(toolset, generation, { TRAILBLAZE_CALLBACK_URL: `${callbacks.url()}/scripting/callback` });
        const { tools } = (await peer.ask('tools/list', { _meta: metaOf(generation) })).result;
        for (const { name, inputSchema } of tools) schemas.set(name, inputSchema);
      });
      after(() => callbacks.close());
      after(() => peer.close());

      test('tools are listed with their flags', async () => {
        const { tools } = (await peer.ask('tools/list', { _meta: metaOf(generation) })).result;
        const wanted = Object.entries(flags).filter(([, flag]) => isIn(toolset)(flag));
        assert.deepEqual(tools.map(({ name, _meta }) => [name, flagsOf(_meta)]), wanted);
      });

      for (const one of cases.filter(isIn(toolset)).filter(({ needs }) => needs !== 'engine')) {
        test(one.name, async () => endedAsListed(toolset, one, await call(one)));
      }

      for (const [where, baseUrl] of [['in _meta', callbacks.url], ['in the environment', () => undefined]]) {
        test(`calls back to the address ${where}`, async () => {
          callbacks.requests.length = 0;
          const one = cases.find(({ name }) => name === 'calls back into the engine');
          endedAsListed(toolset, one, await call(one, baseUrl()));
          const ids = { version: 1, session_id: 'session-1', invocation_id: 'session-1-1' };
          const action = (tool, args) => ({ type: 'call_tool', tool_name: tool, arguments_json: args });
          const expected = [
            action('tap', '{"id": "user"}'),
            action('inputText', '{"text": "Eve"}'),
            action('tap', '{"text": "Sign in"}'),
            action('isVisible', '{"text": "Welcome Eve"}'),
            action('getElementText', '{"id": "welcome"}'),
          ].map((action) => ({ method: 'POST', path: '/scripting/callback', ...ids, action }));
          assert.deepEqual(callbacks.requests, expected);
        });
      }

      test('says what a call that failed says', async () => {
        const one = cases.find(({ name }) => name === 'what a call that failed says');
        endedAsListed(toolset, one, await call(one, callbacks.url()));
      });
    });
  }
}
