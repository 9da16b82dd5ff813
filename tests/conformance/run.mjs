// Runs the suite against one half, for every requirement set, and judges what it wrote down:
//   bun run.mjs server|client PROGRAM
// The last line is for `cargo xtask test`.

import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expectedIn, judge, troubleIn } from './judge.mjs';

const HALVES = ['server', 'client'];
const SETS = ['2025-11-25', '2026-07-28'];
const SUITE_LIMIT_MS = 8 * 60_000;
const START_LIMIT_MS = 20_000;
/** What the suite puts behind the name of a scenario. */
const TIME = /-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/;

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

const [half, program] = process.argv.slice(2);
const packages = process.env.TRAILBLAZE_SDK_PACKAGES;
if (!HALVES.includes(half) || !program || !packages) {
  console.error('usage: TRAILBLAZE_SDK_PACKAGES=FOLDER bun run.mjs server|client PROGRAM');
  process.exit(2);
}
const suite = join(packages, 'node_modules', '@modelcontextprotocol', 'conformance');

/** Every scenario of a set for this half, scored or not. */
function scenariosOf(set) {
  const { parse } = createRequire(join(suite, 'package.json'))('yaml');
  const list = parse(fs.readFileSync(join(suite, 'requirements', `${set}.yaml`), 'utf8'));
  const unscored = (list.not_scored ?? []).filter(({ leg }) => leg === half).map(({ scenario }) => scenario);
  return [...(list[half] ?? []), ...unscored];
}

/** Runs the suite; what it prints is kept for the case that it does nothing. */
async function runSuite(args, env) {
  const child = spawn(process.execPath, [join(suite, 'dist', 'index.js'), half, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let told = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (told += data));
  const limit = setTimeout(() => child.kill('SIGKILL'), SUITE_LIMIT_MS);
  await new Promise((done, failed) => child.on('close', done).on('error', failed));
  clearTimeout(limit);
  return told;
}

/** The checks of each scenario that the suite wrote into a folder. */
function resultsIn(folder) {
  const results = new Map();
  for (const name of fs.readdirSync(folder, { recursive: true })) {
    const match = /^(.*)[\\/]checks\.json$/.exec(name);
    if (!match) continue;
    const path = match[1].replaceAll('\\', '/').replace(TIME, '');
    const scenario = half === 'server' ? path.replace(/^server-/, '') : path;
    results.set(scenario, JSON.parse(fs.readFileSync(join(folder, name), 'utf8')));
  }
  return results;
}

const freePort = () =>
  new Promise((done, failed) => {
    const server = createServer().on('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

const answers = (port) =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => done(true)).on('error', () => done(false));
    socket.on('connect', () => socket.destroy());
  });

/** Starts the server, lets something be done with it, and ends it. */
async function withServer(use) {
  const port = await freePort();
  const child = spawn(program, ['--port', `${port}`], { stdio: ['ignore', 'pipe', 'pipe'] });
  let told = '';
  let ended;
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (told = (told + data).slice(-4000)));
  const over = new Promise((done) => child.on('error', done).on('exit', done)).then((how) => (ended = `${how}`));
  try {
    for (const end = Date.now() + START_LIMIT_MS; ended === undefined && !(await answers(port)); await wait(50)) {
      if (Date.now() > end) throw new Error(`the server does not answer on port ${port}\n${told}`);
    }
    if (ended !== undefined) throw new Error(`the server ended at once: ${ended}\n${told}`);
    const result = await use(`http://127.0.0.1:${port}/mcp`);
    if (ended !== undefined) throw new Error(`the server ended on the way: ${ended}\n${told}`);
    return result;
  } finally {
    if (ended === undefined) child.kill('SIGKILL');
    await over;
  }
}

async function testServer(set, folder) {
  return withServer((url) => runSuite(['--url', url, '--requirements', set, '--output-dir', folder]));
}

async function testClient(set, folder, ends) {
  const command = [process.execPath, here('client.mjs'), program].join(' ');
  const args = ['--command', command, '--requirements', set, '--output-dir', folder];
  return runSuite(args, { TRAILBLAZE_CONFORMANCE_ENDS: ends });
}

/** A scenario that the suite itself could not finish has failed: it is in the summary and nowhere else. */
function addBroken(results, told) {
  for (const [, scenario] of told.matchAll(/^✗ (\S+): \d+ passed, \d+ failed/gm)) {
    if (results.has(scenario)) continue;
    results.set(scenario, [{ id: 'suite', status: 'FAILURE', errorMessage: 'the suite could not finish it' }]);
  }
}

/** A client that did not end well has failed, whatever was checked meanwhile. */
function addEnds(results, ends) {
  for (const [scenario, checks] of results) {
    const file = join(ends, encodeURIComponent(scenario));
    const how = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : 'was not started';
    if (how !== 'ended with 0') checks.push({ id: 'client-end', status: 'FAILURE', errorMessage: `the client ${how}` });
  }
}

async function testSet(set) {
  const space = fs.mkdtempSync(join(tmpdir(), 'trailblaze-conformance-'));
  const [folder, ends] = ['results', 'ends'].map((name) => join(space, name));
  for (const path of [folder, ends]) fs.mkdirSync(path);
  try {
    const told = await (half === 'server' ? testServer(set, folder) : testClient(set, folder, ends));
    const results = resultsIn(folder);
    if (results.size === 0) console.log(told);
    addBroken(results, told);
    if (half === 'client') addEnds(results, ends);
    return judge(scenariosOf(set), results, expectedIn(list, half, set));
  } catch (error) {
    return { scenarios: 0, checks: 0, expected: 0, problems: [error.message] };
  } finally {
    fs.rmSync(space, { recursive: true });
  }
}

const list = JSON.parse(fs.readFileSync(here('expected-failures.json'), 'utf8'));
const trouble = troubleIn(list, HALVES, SETS);
for (const problem of trouble) console.log(`expected-failures.json: ${problem}`);
const total = { scenarios: 0, checks: 0, expected: 0, problems: trouble.length };
for (const set of SETS) {
  const { scenarios, checks, expected, problems } = await testSet(set);
  console.log(`${half}, ${set}: ${scenarios} scenarios, ${checks} checks passed, ${expected} failures expected`);
  for (const problem of problems) console.log(`  ${problem.split('\n')[0].slice(0, 400)}`);
  total.scenarios += scenarios;
  total.checks += checks;
  total.expected += expected;
  total.problems += problems.length;
}
console.log(`judged ${JSON.stringify(total)}`);
process.exitCode = total.problems > 0 || total.checks === 0 ? 1 : 0;
