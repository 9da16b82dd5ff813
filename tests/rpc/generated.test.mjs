// What is generated from the contract is that of today. TRAILBLAZE_PYTHON has the generator for Python.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import test from 'node:test';

import { Space, given, last, repository, run } from './lab.mjs';

const packages = join(given('TRAILBLAZE_SDK_PACKAGES'), 'node_modules/.bin');

/** Every file below a folder with its text. */
function texts(folder) {
  const files = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath ?? entry.path, entry.name)).filter((path) => !path.endsWith('.pyc'));
  return Object.fromEntries(paths.sort().map((path) => [path.slice(folder.length), fs.readFileSync(path, 'utf8')]));
}

function isOfToday(sdk, generated, command, folders) {
  test(sdk, () => {
    const space = new Space(last);
    for (const part of ['proto', sdk]) {
      const own = (path) => !path.includes('node_modules');
      fs.cpSync(join(repository, part), space.path(part), { recursive: true, filter: own });
    }
    const PATH = [...folders, process.env.PATH].join(delimiter);
    run('buf', ['generate'], { cwd: space.path(sdk), env: { PATH } });
    const [today, ours] = [space.path(`${sdk}/${generated}`), join(repository, sdk, generated)].map(texts);
    const others = Object.keys({ ...today, ...ours }).filter((name) => today[name] !== ours[name]);
    assert.deepEqual(others, [], `run '${command}' in ${sdk}`);
  });
}

isOfToday('sdks/typescript/client', 'src/gen', 'npm run generate', [packages]);
const { TRAILBLAZE_PYTHON: python } = process.env;
if (python) isOfToday('sdks/python', 'src/trailblaze/gen', 'python generate.py', [packages, dirname(python)]);
