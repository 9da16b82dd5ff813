// `trailblaze mcp`, visited by clients that nobody here wrote: of TypeScript in both generations, and of Python where
// TRAILBLAZE_PYTHON names one with the packages. TRAILBLAZE_PROGRAM is the program, TRAILBLAZE_SDK_PACKAGES the folder with
// the packages of npm.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import test, { after, before, describe } from 'node:test';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { first, second } from './typescript.mjs';

const { TRAILBLAZE_PROGRAM: program, TRAILBLAZE_PYTHON: python } = process.env;
assert.ok(program, "TRAILBLAZE_PROGRAM is not set; 'cargo xtask test --only sdk' sets it");
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** The list is a contract: programs are set up with these names. */
const TOOLS =
  ['devices', 'screen', 'tools', 'tool', 'step', 'trail_run', 'trail_check', 'trail_record', 'reload'];
const RESOURCES = ['trailblaze://registry', 'trailblaze://screen', 'trailblaze://screen.png', 'trailblaze://reports'];

async function inPython({ command, args = [], cwd, url }, generation) {
  const mode = generation === '2025-11-25' ? 'legacy' : 'auto';
  const where = url ? [url] : [command, ...args];
  const { stdout } = await promisify(execFile)(python, ['-B', here('visit.py'), mode, ...where], { cwd });
  const { protocol, ...seen } = JSON.parse(stdout);
  assert.equal(protocol, generation);
  return seen;
}

const CLIENTS = [
  ['TypeScript, first generation', first, ['2025-11-25']],
  ['TypeScript, second generation', second, ['2025-11-25', '2026-07-28']],
  ...(python ? [['Python', inPython, ['2025-11-25', '2026-07-28']]] : []),
];

/** A copy of the example, because runs leave their reports in it. */
function workspace() {
  const folder = fs.mkdtempSync(join(tmpdir(), 'trailblaze-clients-'));
  fs.cpSync(here('../../../examples/first'), folder, { recursive: true });
  fs.rmSync(join(folder, 'trails-broken'), { recursive: true });
  after(() => fs.rmSync(folder, { recursive: true }));
  return folder;
}

/** The server over HTTP: its address, and its end. */
async function serve(cwd) {
  const child = spawn(program, ['mcp', '--http'], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  let told = '';
  const url = await new Promise((resolve, reject) => {
    child.on('error', reject).on('exit', (code) => reject(new Error(`it ended with ${code}: ${told}`)));
    child.stderr.setEncoding('utf8').on('data', (text) => {
      told += text;
      const address = /MCP on (\S+)\n/.exec(told);
      if (address) resolve(address[1]);
    });
  });
  const over = new Promise((resolve) => child.removeAllListeners('exit').on('exit', resolve));
  return {
    url,
    stop: () => {
      child.kill();
      return over;
    },
  };
}

function check(seen) {
  assert.equal(seen.server, 'trailblaze');
  assert.deepEqual(seen.tools, TOOLS);
  assert.deepEqual(seen.resources.slice(0, RESOURCES.length), RESOURCES);
  assert.equal(seen.registry.serverInfo.name, 'trailblaze');
  assert.ok(seen.registry.tools.tap, 'the built-in tools are in the registry');

  const { devices } = seen.devices.structuredContent;
  assert.deepEqual(devices.map(({ id }) => id), ['sim/parcel']);
  assert.deepEqual(seen.screen.content.map(({ type }) => type), ['text', 'image']);
  assert.equal(seen.screen.content[1].mimeType, 'image/png');

  assert.ok(seen.unknown.isError);
  assert.match(seen.unknown.content[0].text, /unknown tool 'no_such_tool'/);
  assert.ok(seen.wrong.isError);
  assert.match(seen.wrong.content[0].text, /'format' must be one of text, image, both/);
  assert.match(seen.missing, /there is no resource 'trailblaze:\/\/nope'/);
  assert.deepEqual(seen.picture.content.map(({ type }) => type), ['text', 'image']);
  assert.ok(seen.step.isError, 'there is no model in this test');
  assert.match(JSON.stringify(seen.step), /NeedsModel/);

  assert.ok(!seen.run.isError, JSON.stringify(seen.run));
  assert.ok(seen.progress.length > 1, 'a run says how far it is');
  assert.deepEqual(seen.progress, [...new Set(seen.progress)].sort((a, b) => a - b));
}

for (const [name, visit, generations] of CLIENTS) {
  for (const generation of generations) {
    describe(`${name}, ${generation}`, () => {
      const cwd = workspace();

      test('over standard streams', async () => {
        check(await visit({ command: program, args: ['mcp'], cwd }, generation));
      });

      describe('over HTTP', () => {
        let server;
        before(async () => (server = await serve(cwd)));
        after(() => server.stop());
        test('from the first to the last request', async () => check(await visit({ url: server.url }, generation)));
      });
    });
  }
}
