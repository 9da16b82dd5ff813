// The calls of plans for AWS Device Farm, as the service describes them: botocore holds its model. TRAILBLAZE_PYTHON is a
// Python with the packages of ../toolsets/requirements.txt.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';

import { given, here, plan, run, workspace } from './lab.mjs';

const PROJECT = 'arn:aws:devicefarm:us-west-2:123456789012:project:0f3d7b1a-9d2c-4a53-8d3f-1f2d3c4b5a69';
const POOL = 'arn:aws:devicefarm:us-west-2:123456789012:devicepool:0f3d7b1a/5f2d';
const DEVICE = 'arn:aws:devicefarm:us-west-2::device:70D5B22608A149568923E4A225EC5E04';

const check = (root) => run(given('TRAILBLAZE_PYTHON'), ['-B', here('./aws.py'), join(root, 'plan')]).trim().split('\n');

for (const [name, args] of Object.entries({
  'models, several shards': ['--devices', 'Google Pixel 8,Samsung Galaxy S23', '--shards', '3'],
  'a device and an option': ['--devices', DEVICE, '-e', "memory=user=ann o'hara;city=Bern"],
  'a pool': ['--devices', POOL, '--minutes', '60'],
  'the standard environment': ['--devices', 'Google Pixel 8', '--standard', '--shards', '2'],
})) {
  test(`the service takes the calls: ${name}`, () => {
    const root = workspace(after, 12);
    plan(root, 'aws', '--project', PROJECT, ...args);
    const shards = fs.readdirSync(join(root, 'plan')).filter((file) => file.startsWith('run-shard-')).length;
    const specs = args.includes('--standard') ? 0 : shards;
    assert.equal(check(root).length, 2 + shards + specs);
  });
}

test('a spec is what the farm documents', () => {
  const root = workspace(after, 6);
  plan(root, 'aws', '--project', PROJECT, '--devices', POOL, '--shards', '2');
  const print = 'import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))';
  for (const shard of [1, 2]) {
    const spec = JSON.parse(run(given('TRAILBLAZE_PYTHON'), ['-c', print, join(root, `plan/shard-${shard}.yml`)]));
    assert.deepEqual(Object.keys(spec), ['version', 'android_test_host', 'phases', 'artifacts']);
    assert.equal(spec.version, 0.1);
    assert.deepEqual(Object.keys(spec.phases), ['install', 'pre_test', 'test', 'post_test']);
    for (const { commands } of Object.values(spec.phases)) {
      assert.ok(commands.every((command) => typeof command === 'string'));
      // Each is a line of a shell.
      commands.forEach((command) => run('sh', ['-n', '-c', command]));
    }
  }
});

test('a call that is wrong is found', () => {
  const root = workspace(after, 2);
  plan(root, 'aws', '--project', PROJECT, '--devices', POOL);
  const file = join(root, 'plan/run-shard-1.json');
  const call = fs.readFileSync(file, 'utf8');
  for (const [good, bad] of [
    ['"INSTRUMENTATION"', '"INSTRUMENTED"'],
    ['"devicePoolArn": "arn:aws', '"devicePoolArn": "arn:gcp'],
    ['"appArn"', '"app"'],
    ['"jobTimeoutMinutes": 150', '"jobTimeoutMinutes": "150"'],
  ]) {
    assert.ok(call.includes(good));
    fs.writeFileSync(file, call.replace(good, bad));
    assert.throws(() => check(root), /run-shard-1\.json/, bad);
  }
});
