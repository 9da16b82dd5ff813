// The toolset as a process. TRAILBLAZE_SDK_RUNTIMES names further commands to run it with, such as `bun` or `tsx`,
// separated by the separator of paths.

import assert from 'node:assert/strict';
import { delimiter } from 'node:path';
import test, { after, describe } from 'node:test';
import { fileURLToPath } from 'node:url';

import { cases } from './cases.mjs';
import { callbackServer, fakeEngine, snakeCase } from './engine.mjs';
import { startProgram } from './peer.mjs';

const toolset = fileURLToPath(new URL('./fixtures/toolset.mjs', import.meta.url));
const text = ({ content }) => content.map((part) => part.text).join('');
const more = (process.env.TRAILBLAZE_SDK_RUNTIMES ?? '').split(delimiter).filter(Boolean);

for (const runtime of [process.execPath, ...more]) {
  describe(runtime, async () => {
    const engine = fakeEngine();
    const callback = await callbackServer(engine, runtime === process.execPath ? snakeCase : undefined);
    const peer = startProgram(runtime, [toolset]);
    const meta = {
      baseUrl: callback.baseUrl,
      sessionId: 'session-1',
      invocationId: 'call-1',
      device: { id: 'sim', platform: 'android', widthPixels: 1080, heightPixels: 2400, driverType: 'sim' },
      memory: { user: 'ada' },
      runtime: 'host',
    };
    after(() => callback.close());

    cases(test, { peer, engine, meta });

    test('the callback is version 1', async () => {
      callback.requests.length = 0;
      await peer.call('global', {}, { trailblaze: meta });
      assert.deepEqual(callback.requests, [
        {
          url: '/scripting/callback',
          version: 1,
          session_id: 'session-1',
          invocation_id: 'call-1',
          action: { type: 'call_tool', tool_name: 'shop_login', arguments_json: '{"user":"eve"}' },
        },
      ]);
    });

    test('an error of the callback is the error of the call', async () => {
      const result = await peer.call('fails', {}, { trailblaze: { ...meta, sessionId: 'another' } });
      assert.equal(text(result), 'upgrade @trailblaze/scripting');
    });

    test('an engine that is gone is named', async () => {
      const result = await peer.call('fails', {}, { trailblaze: { ...meta, baseUrl: 'http://127.0.0.1:9' } });
      assert.match(text(result), /^cannot reach Trailblaze at http:\/\/127\.0\.0\.1:9\/scripting\/callback: /);
    });

    test('another MCP client gets what needs no device', async () => {
      assert.equal(text(await peer.call('greet', { who: 'Bob' })), 'Hello Bob; who');
      assert.deepEqual((await peer.call('context')).structuredContent, { ownClient: true });
      const failed = await peer.call('fails');
      assert.equal(text(failed), "cannot call 'tap': this call does not come from Trailblaze");
      assert.match(failed._meta.trailblaze.hint, /Trailblaze session/);
    });

    test('a rejection inside of a loop that nobody waits for fails the tool', async () => {
      const failed = await peer.call('forgetsLoop', {}, { trailblaze: meta });
      assert.equal(failed.isError, true);
      assert.equal(text(failed), "no element with text 'Missing'");
    });

    test('half lines, several lines at once and garbage are read', async () => {
      const half = peer.answerTo('half');
      peer.write('{"jsonrpc":"2.0","id":"half",');
      await new Promise((resolve) => setTimeout(resolve, 20));
      peer.write('"method":"ping"}\n\n');
      assert.deepEqual((await half).result, {});
      const garbage = peer.answerTo(null);
      peer.write('garbage\n');
      assert.equal((await garbage).error.code, -32700);
    });

    test('stdout carries nothing but messages, and the process ends with its stdin', async () => {
      await peer.call('logs');
      assert.equal(await peer.close(), 0);
      assert.deepEqual(peer.noise, []);
      for (const said of ['log', 'info', 'debug', 'dir', 'table']) assert.ok(peer.stderr.includes(`by ${said}`), said);
    });
  });
}

test('the callback address also comes by the environment', async () => {
  const engine = fakeEngine();
  const callback = await callbackServer(engine);
  const env = { TRAILBLAZE_CALLBACK_URL: `${callback.baseUrl}/scripting/callback`, TRAILBLAZE_SESSION_ID: 'session-1' };
  const peer = startProgram(process.execPath, [toolset], { env });
  assert.equal(text(await peer.call('global')), 'signed in');
  assert.equal(callback.requests[0].invocation_id, '');
  await peer.close();
  callback.close();
});
