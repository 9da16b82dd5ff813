// The same files as MCP servers on stdin and stdout, without Trailblaze. What needs no engine must be as in a bundle.

import assert from 'node:assert/strict';
import test, { after, before, describe } from 'node:test';

import { startProgram } from '../../sdks/typescript/scripting/test/peer.mjs';
import { cases, flags, installed, isIn, toolsets, workspace } from './lab.mjs';
import { endedAsListed, envelope, flagsOf } from './peers.mjs';

const RUNTIMES = { bun: [installed('.bin/bun')], 'node and tsx': [process.execPath, '--import', 'tsx'] };

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
          endedAsListed(toolset, one, await peer.call(one.tool, args, { trailblaze: meta }));
        });
      }
    });
  }
}
