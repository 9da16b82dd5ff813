// The same files as MCP servers on stdin and stdout, without Trailblaze. What needs no engine must be as in a bundle.

import assert from 'node:assert/strict';
import test, { after, before, describe } from 'node:test';

import { startProgram } from '../../sdks/typescript/scripting/test/peer.mjs';
import { cases, fits, flags, installed, isIn, toolsets, workspace } from './lab.mjs';

const RUNTIMES = { bun: [installed('.bin/bun')], 'node and tsx': [process.execPath, '--import', 'tsx'] };
/** What the engine makes of the variant of a result. */
const KINDS = { FatalError: 'Fatal', MissingRequiredArgs: 'MissingRequiredArgs' };

/** What the engine sends along with a call, here without an address to call back. */
function envelope({ memory = {}, agent = 'host' }) {
  const device = { widthPixels: 1080, heightPixels: 2400, driverType: 'android-ondevice-accessibility' };
  return {
    argument: { memory, device: { platform: 'ANDROID', ...device } },
    meta: {
      sessionId: 'session-1',
      invocationId: 'session-1-1',
      device: { id: 'sim', platform: 'android', ...device },
      memory,
      runtime: agent === 'host' ? 'host' : 'ondevice',
    },
  };
}

/** The flags in the metadata of a tool, in the words of the list. */
function flagsOf(meta = {}) {
  const entries = Object.entries(meta).map(([key, value]) => [key.replace(/^trailblaze\//, ''), value]);
  const found = Object.fromEntries(entries);
  if (found.supportedPlatforms) found.supportedPlatforms = found.supportedPlatforms.map((name) => name.toLowerCase());
  return found;
}

for (const toolset of toolsets) {
  for (const [runtime, [command, ...options]] of Object.entries(RUNTIMES)) {
    describe(`${toolset}, ${runtime}`, () => {
      const space = workspace(after, toolset);
      let peer;
      before(async () => {
        space.write('package.json', '{ "type": "module" }');
        peer = startProgram(command, [...options, 'tools.ts'], { cwd: space.root });
        const clientInfo = { name: 'test', version: '1.0.0' };
        await peer.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
        peer.write({ jsonrpc: '2.0', method: 'notifications/initialized' });
      });
      after(() => peer.close());

      test('tools are listed as those of the bundle are', async () => {
        const { tools } = (await peer.ask('tools/list')).result;
        for (const { name, _meta } of tools) {
          const { only, ...wanted } = flags[name];
          assert.deepEqual(flagsOf(_meta), wanted, name);
        }
        const all = JSON.parse(space.trailblaze('tools', '--json'));
        const own = all.filter(({ source }) => source === "the server 'tools.ts'");
        const shown = ({ name, description, inputSchema }) => [name, { description, inputSchema }];
        assert.deepEqual(Object.fromEntries(tools.map(shown)), Object.fromEntries(own.map(shown)));
      });

      for (const one of cases.filter(isIn(toolset)).filter(({ needs }) => needs !== 'engine')) {
        test(one.name, async () => {
          const { argument, meta } = envelope(one);
          const args = { ...one.args, _trailblazeContext: argument };
          const result = await peer.call(one.tool, args, { trailblaze: meta });
          const text = result.content.map((part) => part.text).join('\n');
          assert.equal(result.isError ?? false, one.failure !== undefined, text);
          if (one.failure) {
            fits(text, one.failure.message);
            assert.equal(KINDS[result._meta?.trailblaze?.variant] ?? 'Exception', one.failure.kind);
          } else {
            assert.equal(text, one.message);
          }
          if (one.structured) assert.deepEqual(result.structuredContent, one.structured);
        });
      }
    });
  }
}
