// gcloud's own code, as far as it goes without a network. Needs gcloud; the Python that it brings along is used.

import assert from 'node:assert/strict';
import { join } from 'node:path';

import { here, run, words } from './lab.mjs';

export const sdk = run('gcloud', ['info', '--format=value(installation.sdk_root)']).trim();
const location = run('gcloud', ['info', '--format=value(basic.python_location)']).trim();

/** Runs gcloud's Python, with settings of its own. */
export function python(root, args) {
  const env = { CLOUDSDK_CONFIG: join(root, 'gcloud'), PYTHONDONTWRITEBYTECODE: '1' };
  return JSON.parse(run(location, args, { cwd: root, env }));
}

/** What gcloud understands of a command. */
export function understood(root, command) {
  const [gcloud, ...args] = words(command);
  assert.equal(gcloud, 'gcloud');
  return python(root, [here('./gcloud.py'), sdk, ...args]);
}
