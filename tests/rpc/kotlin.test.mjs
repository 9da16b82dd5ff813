// `trailblaze-toolset` for Kotlin, by projects that Maven built with nothing else: the list, and the tools of `examples/acme`
// on one device and on three at once.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { delimiter, join } from 'node:path';
import test from 'node:test';

import { runsTheList } from './clients.mjs';
import { Space, here, last, program, repository, run } from './lab.mjs';

const { JAVA_HOME, PATH } = process.env;
const java = JAVA_HOME ? join(JAVA_HOME, 'bin/java') : 'java';
const env = JAVA_HOME ? { PATH: [join(JAVA_HOME, 'bin'), PATH].join(delimiter) } : {};

runsTheList('kotlin', (list, address) => [java, ['-jar', here('./runners/kotlin/target/runner.jar'), list, address]]);

const EXAMPLE = join(repository, 'examples/acme');
const { root } = new Space(last);
for (const name of ['app.js', 'trailblaze.yaml', 'trailblaze-config', 'trails', 'tools', 'kotlin']) {
  fs.cpSync(join(EXAMPLE, name), join(root, name), { recursive: true });
}

for (const [device, count] of [['sim', 1], ['sim:3', 3]]) {
  test(`acme_driver_kt on ${device}`, () => {
    const told = run(program, ['run', '--json', '--target', 'acme_driver_kt', '--device', device], { cwd: root, env });
    const { verdict, trails } = JSON.parse(told);
    assert.equal(verdict, 'passed', told);
    assert.equal(trails.length, 2 * count, told);
  });
}

test('one process serves three devices', () => {
  const [run] = fs.readdirSync(join(root, '.trailblaze/runs')).filter((name) => name !== 'latest').sort().reverse();
  const events = fs.readFileSync(join(root, '.trailblaze/runs', run, 'events.jsonl'), 'utf8');
  assert.match(events, /one process over HTTP for all 3 devices/);
});

test('a failure names the line of the tool', () => {
  const app = join(root, 'app.js');
  fs.writeFileSync(app, fs.readFileSync(app, 'utf8').replace('Submit', 'Sumbit'));
  const login = ['acme_driver_login', '--arg', 'email=ada@acme.example', '--arg', 'password=lovelace'];
  const failure = /error: no element with text 'Submit'.*hint: did you mean 'Sumbit'\?.*AcmeToolSet\.login\(AcmeToolSet\.kt:\d+\)/s;
  assert.throws(() => run(program, ['tool', 'run', ...login, '--target', 'acme_driver_kt'], { cwd: root, env }), failure);
});

test('what is published has its license, sources and documentation', () => {
  const target = join(repository, 'sdks/kotlin/target');
  const pom = fs.readFileSync(join(repository, 'sdks/kotlin/pom.xml'), 'utf8');
  const [, version] = pom.match(/<version>(.*)<\/version>/);
  const jar = (end) => fs.readFileSync(join(target, `trailblaze-toolset-${version}${end}`));
  // Names are plain text in an archive.
  const has = (end, name) => assert.ok(jar(end).includes(name), `${end} has no ${name}`);
  has('.jar', 'META-INF/LICENSE');
  has('-sources.jar', 'META-INF/LICENSE');
  has('-sources.jar', 'TrailblazeClient.kt');
  has('-javadoc.jar', 'README.md');
  for (const part of ['name', 'description', 'licenses', 'developers']) assert.match(pom, new RegExp(`<${part}>`));
});
