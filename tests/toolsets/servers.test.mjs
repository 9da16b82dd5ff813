// The toolsets as processes of `trailblaze run` on the sim, each with the same results as in QuickJS, and two servers from
// npm that know nothing of Trailblaze. TRAILBLAZE_PYTHON is a Python with the packages of `requirements.txt`; without it
// those in Python are left out.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import test, { after, before, describe } from 'node:test';
import { fileURLToPath } from 'node:url';

import { cases, flags, installed, isIn, python, toolsets, workspace } from './lab.mjs';
import { PLAIN, ended, endedAsListed, runCases } from './runs.mjs';

const { TRAILBLAZE_PYTHON } = process.env;
const bun = installed('.bin/bun');
const server = (name) => installed(`@modelcontextprotocol/server-${name}/dist/index.js`);

/** The environment in which the program runs scripts with this. */
function outside(runtime) {
  return { TRAILBLAZE_SCRIPT_RUNTIME: runtime, PATH: `${path.dirname(bun)}${path.delimiter}${process.env.PATH}` };
}

/** The entry of the target for each toolset. */
const ENTRIES = [
  ...toolsets.map((toolset) => [toolset, 'bun', { command: bun, args: ['tools.ts'] }]),
  ...toolsets.map((toolset) => [
    toolset,
    'node and tsx',
    { command: process.execPath, args: ['--import', 'tsx', 'tools.ts'] },
  ]),
  ...['bun', 'node'].flatMap((runtime) =>
    toolsets.map((toolset) => [toolset, `script in ${runtime}`, { script: './tools.ts' }, outside(runtime)]),
  ),
  ...(TRAILBLAZE_PYTHON ? python : []).map((toolset) => [
    toolset,
    'python',
    { command: TRAILBLAZE_PYTHON, args: ['-B', 'tools.py'] },
  ]),
];

/** The workspace with nothing but one server; JSON is YAML. */
function withServer(toolset, entry) {
  const space = workspace(after, python.includes(toolset) ? undefined : toolset);
  const target = {
    id: 'shop',
    display_name: 'Shop',
    sim: { app: './app.js' },
    platforms: { android: { app_ids: ['com.example.shop'] } },
    mcp_servers: [entry],
  };
  space.write('trailblaze-config/targets/shop.yaml', JSON.stringify(target));
  space.write('package.json', '{ "type": "module" }');
  if (python.includes(toolset)) {
    fs.cpSync(fileURLToPath(new URL(`./${toolset}.py`, import.meta.url)), space.path('tools.py'));
  }
  return space;
}

for (const [toolset, runtime, entry, env] of ENTRIES) {
  describe(`${toolset}, ${runtime}`, () => {
    // Where the runner is on the phone there are no processes.
    const chosen = cases.filter(isIn(toolset)).filter(({ agent }) => agent !== 'on-device');
    const space = withServer(toolset, entry);
    space.env = env;
    let outcomes;
    before(() => (outcomes = runCases(space, chosen)));

    test('tools are listed with their flags', () => {
      const all = new Map(JSON.parse(space.trailblaze('tools', '--json')).map((tool) => [tool.name, tool]));
      for (const [name, { only, ...wanted }] of Object.entries(flags).filter(([, flag]) => isIn(toolset)(flag))) {
        assert.deepEqual(all.get(name)?.flags, { ...PLAIN, ...wanted }, name);
      }
    });

    chosen.forEach((one, number) => test(one.name, () => endedAsListed(toolset, one, outcomes, number)));

    test('a trail runs', () => space.trailblaze('run', 'trails/sign-in.trail.yaml', '--quiet'));
  });
}

/** Servers as they are on npm: a call of each, and what comes of it. */
const READY_MADE = [
  {
    name: 'server-everything',
    entry: { command: process.execPath, args: [server('everything'), 'stdio'] },
    calls: [
      [{ tool: 'echo', args: { message: 'Zoë 🦊' } }, 'Echo: Zoë 🦊'],
      [{ tool: 'get-sum', args: { a: 2, b: 3 } }, 'The sum of 2 and 3 is 5.'],
    ],
  },
  {
    name: 'server-filesystem',
    entry: { command: process.execPath, args: [server('filesystem'), '.'] },
    calls: [[{ tool: 'read_text_file', args: { path: 'trailblaze.yaml' } }, 'target: shop\n']],
  },
];

for (const { name, entry, calls } of READY_MADE) {
  test(`${name} is a toolset`, () => {
    const space = withServer(undefined, entry);
    const chosen = calls.map(([call]) => call);
    const outcomes = runCases(space, chosen);
    calls.forEach(([{ tool }, message], number) => {
      const outcome = ended(outcomes.get(String(number)), tool);
      assert.deepEqual([outcome.failure, outcome.message], [undefined, message]);
    });
  });
}
