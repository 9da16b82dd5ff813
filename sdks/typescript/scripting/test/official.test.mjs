// Against software that others wrote: the clients of the official SDKs speak to our server, and toolsets on the
// official SDKs are bundled as for QuickJS and run on the host object. The packages are taken from the `node_modules`
// of the folder that TRAILBLAZE_SDK_PACKAGES names.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before, describe } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { fakeEngine } from './engine.mjs';
import { Peer } from './peer.mjs';

const packages = process.env.TRAILBLAZE_SDK_PACKAGES;
const skip = packages ? false : 'TRAILBLAZE_SDK_PACKAGES is not set';
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const installed = (path) => join(packages, 'node_modules', ...path.split('/'));
const load = (path) => import(pathToFileURL(installed(path)));

const clientInfo = { name: 'test', version: '1.0.0' };
const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
};

async function drive(client, transport) {
  await client.connect(transport);
  const { tools } = await client.listTools();
  assert.equal(tools[0].name, 'greet');
  assert.equal(tools[0]._meta['trailblaze/toolset'], 'manners');
  const greeting = await client.callTool({ name: 'greet', arguments: { who: 'Ada' } });
  assert.deepEqual(greeting.content, [{ type: 'text', text: 'Hello Ada; who' }]);
  const sum = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } });
  assert.deepEqual(sum.structuredContent, { value: 3 });
  const failed = await client.callTool({ name: 'throws', arguments: {} });
  assert.equal(failed.isError, true);
  await assert.rejects(client.callTool({ name: 'nobody', arguments: {} }), { code: -32602 });
  await client.close();
}

describe('clients of the official SDKs', { skip }, () => {
  const program = { command: process.execPath, args: [here('./fixtures/toolset.mjs')], stderr: 'ignore' };

  test('first generation', async () => {
    const { Client } = await load('@modelcontextprotocol/sdk/dist/esm/client/index.js');
    const { StdioClientTransport } = await load('@modelcontextprotocol/sdk/dist/esm/client/stdio.js');
    await drive(new Client(clientInfo), new StdioClientTransport(program));
  });

  for (const mode of ['legacy', 'auto', { pin: '2026-07-28' }]) {
    test(`second generation, ${JSON.stringify(mode)}`, async () => {
      const { Client } = await load('@modelcontextprotocol/client/dist/index.mjs');
      const { StdioClientTransport } = await load('@modelcontextprotocol/client/dist/stdio.mjs');
      await drive(new Client(clientInfo, { versionNegotiation: { mode } }), new StdioClientTransport(program));
    });
  }
});

describe('toolsets bundled for QuickJS', { skip }, () => {
  let out;
  before(async () => (out = await mkdtemp(join(tmpdir(), 'trailblaze-sdk-'))));
  after(() => rm(out, { recursive: true }));

  async function bundle(name, conditions) {
    const { build } = createRequire(join(packages, 'package.json'))('esbuild');
    const outfile = join(out, `${name}.mjs`);
    await build({
      entryPoints: [here(`./fixtures/${name}.mjs`)],
      outfile,
      conditions,
      bundle: true,
      format: 'esm',
      platform: 'neutral',
      mainFields: ['module', 'main'],
      target: 'es2023',
      nodePaths: [installed('')],
      logLevel: 'error',
      alias: {
        '@modelcontextprotocol/sdk/server/stdio.js': here('../src/mcp-stdio.js'),
        '@modelcontextprotocol/server/stdio': here('../src/mcp-serve-stdio.js'),
        'trailblaze:real-serve-stdio': installed('@modelcontextprotocol/server/dist/stdio.mjs'),
      },
    });
    return outfile;
  }

  /** Loads a bundle onto a host object of its own. */
  async function start(url) {
    const engine = fakeEngine();
    let receive;
    const peer = new Peer((message) => receive(message));
    globalThis[Symbol.for('trailblaze.host')] = Object.freeze({
      connect: (listener) => void (receive = listener),
      send: (message) => peer.receive(JSON.parse(typeof message === 'string' ? message : JSON.stringify(message))),
      call: engine.call,
    });
    await import(url);
    return { peer, engine };
  }

  for (const [name, conditions, ways] of [
    ['official-v1', [], ['handshake']],
    ['official-v2', ['browser'], ['handshake', 'discover']],
    ['light-zod', [], ['handshake', 'discover']],
  ]) {
    for (const way of ways) {
      test(`${name}, ${way}`, async () => {
        const file = await bundle(name, conditions);
        // Another address is another program: a module is loaded once.
        const { peer, engine } = await start(`${pathToFileURL(file)}?${way}`);
        const _meta = way === 'discover' ? modern : {};
        if (way === 'discover') {
          const { result } = await peer.ask('server/discover', { _meta });
          assert.ok(result.supportedVersions.includes('2026-07-28'));
        } else {
          const opening = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
          const { result } = await peer.ask('initialize', opening);
          assert.equal(result.protocolVersion, '2025-11-25');
          peer.write({ jsonrpc: '2.0', method: 'notifications/initialized' });
        }
        const { tools } = (await peer.ask('tools/list', { _meta })).result;
        assert.deepEqual(tools.map((tool) => tool.name), ['shop_signIn', 'shop_break']);
        assert.deepEqual(tools[0].inputSchema.required, ['user']);
        assert.equal(tools[0]._meta['trailblaze/isForLlm'], false);

        const trailblaze = { sessionId: 'session-1', invocationId: 'call-9', memory: {}, device: {} };
        const result = await peer.call('shop_signIn', { user: 'ada' }, { ..._meta, trailblaze });
        assert.equal(result.content[0].text, 'welcome');
        assert.deepEqual(engine.calls, [
          { tool: 'inputText', args: { text: 'ada' }, invocationId: 'call-9' },
          { tool: 'isVisible', args: { text: 'Welcome' }, invocationId: 'call-9' },
        ]);
        const invalid = await peer.call('shop_signIn', { user: 7 }, { ..._meta, trailblaze });
        assert.ok(invalid.isError || invalid.code === -32602);
        const broken = await peer.call('shop_break', {}, { ..._meta, trailblaze });
        assert.deepEqual(broken._meta.trailblaze, { variant: 'FatalError' });
      });
    }
  }
});

test('our types fit those of the official SDKs', { skip }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trailblaze-sdk-'));
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@trailblaze'), { recursive: true });
  await symlink(here('..'), join(modules, '@trailblaze', 'scripting'));
  for (const name of ['zod', '@modelcontextprotocol']) await symlink(installed(name), join(modules, name));
  await copyFile(here('./fixtures/official-types.ts'), join(folder, 'types.mts'));
  const options = '--noEmit --strict --skipLibCheck --target es2023 --module nodenext types.mts'.split(' ');
  const tsc = [installed('typescript/bin/tsc'), ...options];
  const { stdout } = spawnSync(process.execPath, tsc, { cwd: folder, encoding: 'utf8' });
  assert.equal(stdout, '');
  await rm(folder, { recursive: true });
});
