// Lines of plans for Device Run, read by gcloud's own parser. Needs a gcloud that has 'beta device-run'.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';

import { understood } from './gcloud.mjs';
import { plan, workspace } from './lab.mjs';

test('gcloud understands the line of one shard', () => {
  const root = workspace(after, 4);
  const devices = ['--devices', 'shiba-34,tokay-35'];
  const command = plan(root, 'device-run', ...devices, '--retries', '2', '-e', 'memory=a=1;b=2,3', '--project', 'shop-1');
  const args = understood(root, command);
  assert.deepEqual(args.device, ['shiba-34', 'tokay-35']);
  assert.deepEqual(args.apps, ['app.apk']);
  assert.equal(args.test, 'test.apk');
  assert.equal(args.test_runner_class, 'dev.trailblaze.agent.TrailblazeInstrumentation');
  assert.deepEqual(args.additional_test_options, { deadline: '44m', memory: 'a=1;b=2,3' });
  assert.deepEqual(args.paths_to_pull, ['/sdcard/Android/data/dev.trailblaze.agent/files/reports']);
  assert.equal(args.flaky_test_attempts, 3);
});

test('gcloud understands the lines of several shards', () => {
  const root = workspace(after, 60);
  assert.match(plan(root, 'device-run', '--devices', 'shiba-34', '--shards', '2'), /^sh .*run\.sh$/);
  const script = fs.readFileSync(join(root, 'plan/run.sh'), 'utf8').replaceAll(' \\\n', ' ');
  const lines = script.split('\n').filter((line) => line.startsWith('gcloud '));
  assert.equal(lines.length, 2);
  lines.forEach((line, index) => {
    const args = understood(root, line);
    assert.deepEqual(args.labels, { 'trailblaze-shard': `${index + 1}` });
    assert.deepEqual(Object.keys(args.additional_test_options), ['deadline', 'testFile']);
    const pushed = { [`plan/shard-${index + 1}.txt`]: args.additional_test_options.testFile };
    assert.deepEqual(args.other_files_to_push, pushed);
  });
});

test('gcloud finds what is wrong', () => {
  const root = workspace(after, 4);
  const command = plan(root, 'device-run', '--devices', 'shiba-34');
  for (const [part, bad] of [
    ['--instrumentation-timeout=45m', '--instrumentation-timeout=soon'],
    ['--apps=', '--app='],
    ['sessions submit', 'sessions start'],
  ]) {
    assert.ok(command.includes(part), part);
    assert.throws(() => understood(root, command.replace(part, bad)), bad);
  }
});
