// Copies of the workspace with one of the toolsets in it, and the program run in them. The program is what
// TRAILBLAZE_PROGRAM names, the packages are in the `node_modules` of the folder that TRAILBLAZE_SDK_PACKAGES names.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

export const given = (name) => {
  const value = process.env[name];
  assert.ok(value, `${name} is not set; 'cargo xtask test --only sdk' sets it`);
  return value;
};

export const program = given('TRAILBLAZE_PROGRAM');
const modules = join(given('TRAILBLAZE_SDK_PACKAGES'), 'node_modules');
export const repository = here('../..');
export const installed = (path) => join(modules, ...path.split('/'));
export const { toolsets, python, flags, cases } = JSON.parse(fs.readFileSync(here('./cases.json'), 'utf8'));

/** Whether something of the list is there in a toolset. */
export const isIn = (toolset) => ({ only }) => only === undefined || only.includes(toolset);

/** A folder that is removed after the tests. */
export class Space {
  constructor(after) {
    this.root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'trailblaze-toolsets-')));
    after(() => fs.rmSync(this.root, { recursive: true }));
  }

  path(name) {
    return join(this.root, ...name.split('/'));
  }

  write(name, text) {
    fs.mkdirSync(dirname(this.path(name)), { recursive: true });
    fs.writeFileSync(this.path(name), text);
  }

  read(name) {
    return fs.readFileSync(this.path(name), 'utf8');
  }

  files(name) {
    return fs.readdirSync(this.path(name));
  }

  /** Every package as if it were installed here, and our own from the repository. */
  install() {
    for (const name of fs.readdirSync(modules)) this.link(join(modules, name), `node_modules/${name}`);
    this.link(join(repository, 'sdks', 'typescript', 'scripting'), 'node_modules/@trailblaze/scripting');
  }

  link(target, name) {
    fs.mkdirSync(dirname(this.path(name)), { recursive: true });
    fs.symlinkSync(target, this.path(name), 'junction');
  }

  run(command, args) {
    const own = { XDG_CACHE_HOME: this.path('caches'), TRAILBLAZE_SCRIPT_RUNTIME: 'quickjs' };
    const env = { ...process.env, ...own, ...this.env };
    const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: this.root, encoding: 'utf8', env });
    if (error) throw error;
    return { status, stdout, stderr };
  }

  /** Runs the program, which must end well, and gives what it printed. */
  trailblaze(...args) {
    const { status, stdout, stderr } = this.run(program, args);
    assert.equal(status, 0, `trailblaze ${args.join(' ')}\n${stdout}${stderr}`);
    return stdout;
  }

  tsc(...args) {
    const { status, stdout } = this.run(process.execPath, [installed('typescript/bin/tsc'), ...args]);
    return { status, stdout };
  }
}

/** The workspace with installed packages, and a toolset in TypeScript where one is named. */
export function workspace(after, toolset) {
  const space = new Space(after);
  fs.cpSync(here('./workspace'), space.root, { recursive: true });
  if (toolset) fs.cpSync(here(`./${toolset}.ts`), space.path('tools.ts'));
  space.install();
  return space;
}

/** The number of the line that ends with a text. */
export const lineOf = (source, end) => source.split('\n').findIndex((line) => line.endsWith(end)) + 1;

/** Whether a text is the expected one, where `…` stands for any text. */
export function fits(actual, expected) {
  const parts = expected.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  assert.match(actual, new RegExp(`^${parts.join('.*')}$`, 's'));
}
