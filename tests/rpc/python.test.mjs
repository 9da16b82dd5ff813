// `trailblaze` for Python: its wheel, installed into an empty environment.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import test from 'node:test';

import { LATE, bringsItsToken, findsItsWay, givesUp, hasAllShapes, runsTheList } from './clients.mjs';
import { resembles } from './judge.mjs';
import { here, pythonProject, repository, run as passes, typescriptProject } from './lab.mjs';

const { python, root } = pythonProject();
const INSTALLED = 'from importlib.metadata import distribution as d; print(d("trailblaze")._path)';
const ARCHIVED = `
import flit_core.buildapi as build, tarfile
print(any(name.count("/") == 1 and name.endswith("/LICENSE") for name in tarfile.open(build.build_sdist(".")).getnames()))`;
// The server that plays Trailblaze has its messages from here.
const project = typescriptProject();
const program = (name, ...args) => [python, ['-B', here(name), ...args], { cwd: root }];

const withoutAwait = [
  ['TrailblazeCommands.Tap', { x: 100, y: 200 }, { success: true }],
  ['TrailblazeCommands.HasText', { text: 'context' }, { value: true }],
  ['TrailblazeCommands.GetMemory', { key: 'who' }, { value: 'Eve' }],
  ['TrailblazeCommands.TakeScreenshot', {}, [{ data: btoa('P') }, { data: btoa('NG') }]],
  ['MaestroCommands.PressBack', {}, { success: true }],
];
const check = ({ malformed, ...said }) => {
  assert.deepEqual(said.withoutAwait, [true, true, 'Eve', 'PNG', true]);
  const be = 'the context of the tool call is malformed: … must be a…, not a …';
  for (const told of malformed) resembles(told, ['InvalidRequest', be]);
};
const shapes = (address) => program('./runners/shapes.py', address);
hasAllShapes('python', project, shapes, { contexts: 7, more: withoutAwait, check });

givesUp('python', project, (address) => program('./runners/hangs.py', address), (address) => ({
  timeout: LATE(address),
  'timeout of a stream': LATE(address),
  cancelled: true,
  'cancelled stream': true,
  'timeout of asyncio': true,
  'timeout without await': LATE(address),
  afterwards: true,
}));

for (const mode of ['async', 'sync']) {
  const run = (list, address) => program('./runners/run.py', list, address, mode);
  bringsItsToken(`python, ${mode}`, run);
  runsTheList(`python, ${mode}`, run);
}

for (const toolset of ['python-mcp', 'python-fastmcp']) {
  findsItsWay(toolset, project, () => program(`./toolsets/${toolset}.py`));
}

test('the wheel and the source archive have the license', () => {
  const license = fs.readFileSync(`${repository}/LICENSE`, 'utf8');
  const [info] = passes(python, ['-c', INSTALLED]).trim().split('\n');
  assert.equal(fs.readFileSync(`${info}/licenses/LICENSE`, 'utf8'), license);
  assert.match(fs.readFileSync(`${info}/METADATA`, 'utf8'), /^License-Expression: Apache-2.0$.*^License-File: LICENSE$/ms);
  const [archive] = passes(python, ['-B', '-c', ARCHIVED], { cwd: `${root}/source` }).trim().split('\n');
  assert.equal(archive, 'True');
});

test('the client that does not await is that of today', () => {
  const source = `${root}/source`;
  passes(python, ['-B', 'generate.py', '--sync'], { cwd: source });
  const sync = (folder) => fs.readFileSync(`${folder}/src/trailblaze/sync.py`, 'utf8');
  assert.equal(sync(source), sync(`${repository}/sdks/python`), "run 'python generate.py --sync' in sdks/python");
});
