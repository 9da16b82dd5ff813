// What a toolset must do, whatever it runs in.

import assert from 'node:assert/strict';

const text = ({ content }) => content.map((part) => part.text).join('');

/** `peer` speaks to the toolset, `engine` answers its calls, `meta` is the envelope of this way of running it. */
export function cases(test, { peer, engine, meta }) {
  const call = (name, args = {}) =>
    peer.call(name, { ...args, _trailblazeContext: { memory: {}, device: {} } }, { trailblaze: meta });
  const callsOf = async (run) => {
    engine.calls.length = 0;
    const result = await run();
    return { result, calls: engine.calls.map(({ tool, args }) => ({ tool, args })) };
  };

  test('the handshake answers with the version asked for, or the newest', async () => {
    const version = async (asked) => (await peer.ask('initialize', { protocolVersion: asked })).result.protocolVersion;
    assert.equal(await version('2024-11-05'), '2024-11-05');
    assert.equal(await version('2025-06-18'), '2025-06-18');
    assert.equal(await version('1999-01-01'), '2025-11-25');
    assert.deepEqual((await peer.ask('ping')).result, {});
  });

  test('the newer protocol is discovered', async () => {
    const key = 'io.modelcontextprotocol/protocolVersion';
    const { result } = await peer.ask('server/discover', { _meta: { [key]: '2026-07-28' } });
    assert.deepEqual(result.supportedVersions, ['2026-07-28']);
    const list = await peer.ask('tools/list', { _meta: { [key]: '2026-07-28' } });
    assert.equal(list.result.resultType, 'complete');
    assert.equal(list.result.ttlMs, 0);
    const { error } = await peer.ask('tools/list', { _meta: { [key]: '2031-01-01' } });
    assert.equal(error.code, -32022);
    assert.deepEqual(error.data, { supported: ['2026-07-28'], requested: '2031-01-01' });
  });

  test('bad messages get their codes', async () => {
    const code = async (message) => (await peer.exchange(message)).error.code;
    assert.equal(await code({ jsonrpc: '2.0', id: 'a', method: 'resources/list' }), -32601);
    assert.equal(await code({ jsonrpc: '1.0', id: 'b', method: 'ping' }), -32600);
    assert.equal(await code({ jsonrpc: '2.0', id: 'c' }), -32600);
    assert.equal(await code({ jsonrpc: '2.0', id: null, method: 'ping' }), -32600);
    assert.equal(await code({ jsonrpc: '2.0', id: 'd', method: 'tools/list', params: 1 }), -32602);
    assert.equal((await peer.call('nobody', {})).code, -32602);
    assert.equal((await peer.call('greet', [])).code, -32602);
  });

  test('tools are listed with schema, annotations and flags', async () => {
    const { tools } = (await peer.ask('tools/list')).result;
    assert.deepEqual(tools[0], {
      name: 'greet',
      description: 'Greets somebody',
      inputSchema: {
        type: 'object',
        properties: { who: { type: 'string' } },
        required: ['who'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true },
      _meta: {
        'trailblaze/isForLlm': false,
        'trailblaze/supportedPlatforms': ['ANDROID'],
        'trailblaze/toolset': 'manners',
        'trailblaze/groups': ['words'],
      },
    });
    assert.deepEqual(tools[1].inputSchema, { $comment: 'draft-2020-12', type: 'object', properties: { a: {}, b: {} } });
    assert.deepEqual(tools[2], { name: 'silent', description: 'Shows silent', inputSchema: { type: 'object' } });
  });

  test('the envelope does not reach the arguments', async () => {
    assert.equal(text(await call('greet', { who: 'Ada' })), 'Hello Ada; who');
  });

  test('what a handler returns becomes a result', async () => {
    assert.deepEqual(await call('silent'), { content: [], isError: false });
    const profile = { name: 'Ada', since: '1970-01-01T00:00:00.000Z' };
    const content = [{ type: 'text', text: JSON.stringify(profile) }];
    assert.deepEqual(await call('profile'), { content, isError: false, structuredContent: profile });
    assert.deepEqual((await call('add', { a: 1, b: 2 })).structuredContent, { value: 3 });
    assert.deepEqual((await call('result')).structuredContent, { steps: 2 });
    assert.deepEqual((await call('delegates')).structuredContent, {
      _trailblaze_delegates: [{ tool: 'tap', args: { text: 'Pay' } }, { tool: 'pressBack', args: {} }],
    });
  });

  test('failures say which kind they are', async () => {
    const failed = async (name, args) => {
      const result = await call(name, args);
      assert.equal(result.isError, true, name);
      return [text(result), result._meta.trailblaze.variant];
    };
    assert.deepEqual(await failed('refuses'), ['no', 'ExceptionThrown']);
    assert.deepEqual(await failed('fatal'), ['the phone is gone', 'FatalError']);
    assert.deepEqual(await failed('lacks'), ['missing required arguments: email, pin', 'MissingRequiredArgs']);
    assert.deepEqual(await failed('greet'), ['missing required arguments: who', 'MissingRequiredArgs']);
    const invalid = "invalid arguments for 'add': b: is not a number";
    assert.deepEqual(await failed('add', { a: 1 }), [invalid, 'ExceptionThrown']);
    assert.deepEqual(await failed('throws'), ['too far', 'ExceptionThrown']);
    assert.deepEqual(await failed('throwsNull'), ['null was thrown', 'ExceptionThrown']);
    assert.match((await failed('circular'))[0], /circular|cyclic/i);
    assert.match((await call('throws'))._meta.trailblaze.stack, /toolset\.mjs/);
  });

  test('a result that is not JSON is an error of the call, not the end of the server', async () => {
    assert.equal((await call('circularResult')).code, -32603);
  });

  test('the context is the envelope', async () => {
    const { memory, device, sessionId, invocationId, runtime } = meta;
    const { structuredContent } = await call('context');
    assert.deepEqual(structuredContent, { memory, device, sessionId, invocationId, runtime, meta, ownClient: true });
  });

  test('commands call tools with their arguments', async () => {
    const { result, calls } = await callsOf(() => call('commands'));
    assert.deepEqual(result.structuredContent, {
      visible: true,
      text: null,
      count: 3,
      screen: { text: 'Welcome', width: 1080, height: 2400, nodes: [] },
      shell: 'uid=2000',
    });
    assert.deepEqual(calls.slice(0, 8), [
      { tool: 'launchApp', args: { appId: 'com.example.shop', launchMode: 'RESUME' } },
      { tool: 'tap', args: { text: 'Sign in', index: 1 } },
      { tool: 'tap', args: { x: 10, y: 20 } },
      { tool: 'inputText', args: { text: 'ada@example.com' } },
      { tool: 'tap', args: { text: 'Menu', longPress: true } },
      { tool: 'waitUntilVisible', args: { text: 'Welcome', timeoutMs: 1000 } },
      { tool: 'pressBack', args: {} },
      { tool: 'isVisible', args: { text: 'Welcome', timeoutMs: 5 } },
    ]);
    assert.equal(engine.calls[0].invocationId, meta.invocationId);
  });

  test('any tool can be called by name, also by the global client', async () => {
    const { structuredContent } = await call('proxy');
    assert.deepEqual(structuredContent, { text: 'signed in', structured: { user: 1 }, thenable: 'undefined' });
    const { result, calls } = await callsOf(() => call('global'));
    assert.equal(text(result), 'signed in');
    assert.deepEqual(calls, [{ tool: 'shop_login', args: { user: 'eve' } }]);
    assert.equal(engine.calls[0].invocationId, meta.invocationId);
  });

  test('a failed call is an error with kind, hint and place', async () => {
    assert.deepEqual((await call('reports')).structuredContent, {
      isToolError: true,
      name: 'ToolError',
      message: "no element with text 'Missing'",
      kind: 'NotFound',
      hint: 'look',
      tool: 'tap',
      placed: true,
    });
    const { _meta } = await call('fails');
    assert.equal(_meta.trailblaze.kind, 'NotFound');
    assert.match(_meta.trailblaze.stack, /toolset\.mjs/);
  });

  test('calls that nobody waits for are waited for', async () => {
    const { result, calls } = await callsOf(() => call('forgetsGood'));
    assert.equal(text(result), 'in order');
    assert.deepEqual(calls.map(({ args }) => args.text), ['One', 'Two', 'Three']);
    for (const name of ['forgets', 'forgetsGlobal', 'forgetsQuery']) {
      const failed = await call(name);
      assert.equal(failed.isError, true, name);
      assert.equal(text(failed), "no element with text 'Missing'");
    }
    assert.equal(text(await call('waitsLater')), 'rejected');
  });

  test('a cancelled call is aborted and not answered', async () => {
    const before = peer.received.length;
    peer.write({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params: { name: 'waits' } });
    peer.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } });
    const { calls } = await callsOf(() => call('commands'));
    assert.ok(calls.every(({ args }) => args.text !== 'Late'));
    assert.ok(peer.received.slice(before).every(({ id }) => id !== 'slow'));
  });

  test('calls at the same time do not mix', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, (_, i) => call('greet', { who: String(i) })));
    results.forEach((result, i) => assert.equal(text(result), `Hello ${i}; who`));
  });
}
