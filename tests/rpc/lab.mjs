// Our packages as others get them: built, and installed into a project that has nothing else. And a server to talk to.
// What is run is named in the environment, as for ../toolsets/lab.mjs.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

import { Space, given, installed, program, repository } from '../toolsets/lab.mjs';

export const here = (path) => fileURLToPath(new URL(path, import.meta.url));

// What tests leave behind ends with the file, in reverse, so that a program ends before its folder does. Said inside of a test or
// of 'before', 'after' would mean that one; here it means the file, as this is read before any test begins.
const ends = [];
export const last = (end) => void ends.push(end);

after(async () => {
  while (ends.length > 0) await ends.pop()();
});
// Where the file does not come so far, no program goes on.
process.once('exit', () => ends.splice(0).reverse().forEach((end) => end()));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/** Runs a command that must end well, and gives what it printed. */
export function run(command, args, { cwd, env } = {}) {
  const options = { cwd, env: { ...process.env, ...env }, encoding: 'utf8', shell: process.platform === 'win32' };
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  if (error) throw error;
  assert.equal(status, 0, `${command} ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

/** A project with `@trailblaze/client` from its package, and others of the same cache. */
export function typescriptProject(...others) {
  const npm = process.env.TRAILBLAZE_NPM ?? 'npm';
  const space = new Space(last);
  run(npm, ['pack', '--silent', '--pack-destination', space.root], { cwd: join(repository, 'sdks/typescript/client') });
  const [tarball] = space.files('.').filter((name) => name.endsWith('.tgz'));
  space.write('package.json', JSON.stringify({ private: true, type: 'module' }));
  const quietly = ['--prefer-offline', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'];
  run(npm, ['install', ...quietly, `./${tarball}`], { cwd: space.root });
  for (const name of others) space.link(installed(name), `node_modules/${name}`);
  return space;
}

/** An environment with `trailblaze` from its wheel. What that needs is taken from the Python of the tests. */
export function pythonProject() {
  const python = given('TRAILBLAZE_PYTHON');
  const space = new Space(last);
  const pip = (...args) => run(python, ['-m', 'pip', '--disable-pip-version-check', ...args]);
  // A copy: building leaves files behind.
  fs.cpSync(join(repository, 'sdks/python'), space.path('source'), { recursive: true });
  const quietly = ['--quiet', '--no-index'];
  pip('wheel', ...quietly, '--no-deps', '--no-build-isolation', '--wheel-dir', space.root, space.path('source'));
  const [wheel] = space.files('.').filter((name) => name.endsWith('.whl'));
  run(python, ['-m', 'venv', '--without-pip', space.path('venv')]);
  const own = space.path(process.platform === 'win32' ? 'venv/Scripts/python.exe' : 'venv/bin/python');
  const purelib = (of) => run(of, ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))']).trim();
  fs.writeFileSync(join(purelib(own), 'others.pth'), purelib(python));
  pip('--python', own, 'install', ...quietly, space.path(wheel));
  space.python = own;
  return space;
}

/** `trailblaze serve` with a workspace of its own, which is gone after the tests. */
export async function serve(workspace, ...args) {
  const space = new Space(last);
  fs.cpSync(workspace, space.root, { recursive: true });
  const child = spawn(program, ['serve', '--port', '0', ...args], { cwd: space.root, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  last(() => {
    child.kill();
    const slow = setTimeout(() => child.kill('SIGKILL'), 10_000);
    return ended.finally(() => clearTimeout(slow));
  });
  const line = once(createInterface({ input: child.stdout }), 'line');
  const gone = ended.then(([code, signal]) => assert.fail(`serve ended with ${code ?? signal}`));
  gone.catch(() => {});
  const [told] = await Promise.race([line, gone]);
  return told.match(/https?:\/\/\S+/)[0];
}

/** The workspace with one more tool, `desk_stuck`, which goes on until it is stopped. */
export function deskWithStuckTool() {
  const space = new Space(last);
  fs.cpSync(here('./workspace'), space.root, { recursive: true });
  const script = 'for (;;) await client.hasText({ text: "Moon" })';
  const tool = ['id: desk_stuck', 'description: Does not end.', 'parameters: []', `script: '${script}'`];
  space.write('trailblaze-config/tools/desk_stuck.yaml', tool.join('\n'));
  return space.root;
}

export { Space, given, installed, program, repository };
