// Plans for Test Lab, read by gcloud's own code: every flag and every value. Of Device Run, what any gcloud can read.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';

import { python, sdk, understood } from './gcloud.mjs';
import { plan, workspace } from './lab.mjs';

test('gcloud understands a plan with shards', () => {
  const root = workspace(after, 12);
  const devices = ['--devices', 'shiba-34,MediumPhone.arm-35'];
  const command = plan(root, 'firebase', ...devices, '--shards', '3', '--retries', '2', '-e', 'memory=a=1;b=2,3');
  assert.match(command, /^gcloud beta firebase test android run /);
  const args = understood(root, command);
  assert.equal(args.type, 'instrumentation');
  assert.equal(args.timeout, 45 * 60);
  assert.equal(args.num_flaky_test_attempts, 2);
  assert.equal(args.use_orchestrator, false);
  assert.deepEqual(args.environment_variables, { deadline: '44m', memory: 'a=1;b=2,3' });
  assert.deepEqual(args.device.map(({ model, version }) => `${model}-${version}`), ['shiba-34', 'MediumPhone.arm-35']);
  assert.equal(args.test_targets_for_shard.length, 3);
  const { shards } = JSON.parse(fs.readFileSync(join(root, 'plan/plan.json'), 'utf8'));
  assert.ok(args.test_targets_for_shard.every((targets) => targets.startsWith('class dev.trailblaze.trails.Suite')));
  assert.equal(shards.flatMap(({ trails }) => trails).length, 12);
});

test('gcloud understands a plan with one shard', () => {
  const root = workspace(after, 4);
  const device = 'model=shiba,version=34,locale=de,orientation=landscape';
  const command = plan(root, 'firebase', '--devices', device, '--filter', 'suite-0');
  assert.match(command, /^gcloud firebase test android run /);
  const args = understood(root, command);
  assert.deepEqual(args.device, [{ model: 'shiba', version: '34', locale: 'de', orientation: 'landscape' }]);
  assert.deepEqual(args.test_targets, ['class dev.trailblaze.trails.Suite0']);
});

test('gcloud finds what is wrong', () => {
  const root = workspace(after, 4);
  const command = plan(root, 'firebase', '--devices', 'shiba-34');
  const file = join(root, 'plan/gcloud.yml');
  const good = fs.readFileSync(file, 'utf8');
  for (const [part, bad] of [
    ['type: instrumentation', 'type: instrumented'],
    ['timeout: "45m"', 'timeout: soon'],
    ['- model: shiba', '- modell: shiba'],
    ['- /sdcard/', '- /system/'],
    ['test-runner-class', 'test-runner'],
  ]) {
    assert.ok(good.includes(part), part);
    fs.writeFileSync(file, good.replace(part, bad));
    assert.throws(() => understood(root, command), bad);
  }
});

test('gcloud reads the options of Device Run as they were meant', () => {
  const root = workspace(after, 6);
  plan(root, 'device-run', '--devices', 'shiba-34,tokay-35', '--shards', '2', '-e', 'memory=a=1;b=2');
  const script = fs.readFileSync(join(root, 'plan/run.sh'), 'utf8');
  const lists = script.match(/^ +'--additional-test-options=(.*)' \\$/gm);
  assert.equal(lists.length, 2);
  const read = `import sys; sys.path[:0] = ["${sdk}/lib", "${sdk}/lib/third_party"]
import json
from googlecloudsdk.calliope import arg_parsers
print(json.dumps(arg_parsers.ArgDict()(sys.argv[1])))`;
  for (const line of lists) {
    const value = line.match(/=(.*)' \\$/)[1];
    const options = python(root, ['-c', read, value]);
    assert.deepEqual(Object.keys(options), ['class', 'deadline', 'memory']);
    assert.equal(options.memory, 'a=1;b=2');
    assert.match(options.class, /^dev\.trailblaze\.trails\.Suite\d(#\w+)?(,dev\.trailblaze\.trails\.Suite\d(#\w+)?)*$/);
  }
});
