// `trailblaze` for Python: its wheel, installed into an empty environment.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import test, { after } from 'node:test';

import { bringsItsToken, findsItsWay, hasAllShapes, runsTheList } from './clients.mjs';
import { here, pythonProject, repository, run as passes, typescriptProject } from './lab.mjs';

const { python, root } = pythonProject(after);
// The server that plays Trailblaze has its messages from here.
const project = typescriptProject(after);
const program = (name, ...args) => [python, ['-B', here(name), ...args], { cwd: root }];

hasAllShapes('python', project, (address) => program('./runners/shapes.py', address));

for (const mode of ['async', 'sync']) {
  const run = (list, address) => program('./runners/run.py', list, address, mode);
  bringsItsToken(`python, ${mode}`, run);
  runsTheList(`python, ${mode}`, run);
}

for (const toolset of ['python-mcp', 'python-fastmcp']) {
  findsItsWay(toolset, project, () => program(`./toolsets/${toolset}.py`));
}

test('the client that does not await is that of today', () => {
  const source = `${root}/source`;
  passes(python, ['-B', 'generate.py', '--sync'], { cwd: source });
  const sync = (folder) => fs.readFileSync(`${folder}/src/trailblaze/sync.py`, 'utf8');
  assert.equal(sync(source), sync(`${repository}/sdks/python`), "run 'python generate.py --sync' in sdks/python");
});
