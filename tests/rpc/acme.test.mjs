// `examples/acme` as it is: its tools in Python and in TypeScript, on one device and on three at once. Without
// TRAILBLAZE_PYTHON those in Python are left out.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import test from 'node:test';

import { Space, last, program, pythonProject, repository, run, typescriptProject } from './lab.mjs';

const EXAMPLE = join(repository, 'examples/acme');

/** A copy of the example; what it installs is linked instead. */
function example(installed, name) {
  const space = new Space(last);
  const isOurs = (path) => !/[\\/](\.trailblaze|\.venv|node_modules)([\\/]|$)/.test(path.slice(EXAMPLE.length));
  fs.cpSync(EXAMPLE, space.root, { recursive: true, filter: isOurs });
  space.link(installed, name);
  return space;
}

const packages = typescriptProject('@modelcontextprotocol', 'tsx', 'zod').path('node_modules');
const workspaces = { acme_driver_ts: example(packages, 'tools/node_modules') };
if (process.env.TRAILBLAZE_PYTHON) workspaces.acme_driver = example(pythonProject().path('venv'), '.venv');

for (const [target, { root }] of Object.entries(workspaces)) {
  const env = { PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` };
  for (const [device, count] of [['sim', 1], ['sim:3', 3]]) {
    test(`${target} on ${device}`, () => {
      const told = run(program, ['run', '--json', '--target', target, '--device', device], { cwd: root, env });
      const { verdict, trails } = JSON.parse(told);
      assert.equal(verdict, 'passed', told);
      assert.equal(trails.length, 2 * count, told);
    });
  }

  test(`${target} says which password is wrong`, () => {
    const wrong = ['acme_driver_login', '--arg', 'email=ada@acme.example', '--arg', 'password=no'];
    assert.throws(() => run(program, ['tool', 'run', ...wrong, '--target', target], { cwd: root, env }), /invalid credentials/);
  });
}
