// The toolsets in QuickJS: bundled in every way there is, and run on the sim by the program itself.

import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import test, { after, before, describe } from 'node:test';

import { cases, fits, flags, isIn, lineOf, program, toolsets, workspace } from './lab.mjs';

const WITH_PACKAGES = ['esbuild', 'bun'];
const BUNDLERS = { light: ['own', ...WITH_PACKAGES], 'official-v1': WITH_PACKAGES, 'official-v2': WITH_PACKAGES };
/** Smaller bundles are run from their source. */
const WORTH_COMPILING = 64 << 10;
const CACHE = 'caches/trailblaze/compiled';
const PLAIN = {
  isForLlm: true,
  isRecordable: true,
  isDelegating: false,
  isVerification: false,
  requiresHost: false,
  supportedDrivers: [],
  supportedPlatforms: [],
  requiresContext: false,
  groups: [],
};

/** A trail with one call; JSON is YAML. */
function writeTrail(space, id, { launch, memory = {}, tool, args = {} }) {
  const trail = { config: { memory }, trail: [{ step: 'Call', recording: { android: [{ [tool]: args }] } }] };
  if (launch) trail.trailhead = { step: 'Open', recording: { android: { launchApp: { appId: 'com.example.shop' } } } };
  space.write(`trails/${id}.trail.yaml`, JSON.stringify(trail));
}

/** Runs the trails of all cases at once; what became of each stands under its id. */
function runCases(space, chosen) {
  const outcomes = new Map();
  for (const agent of ['host', 'on-device']) {
    const folder = `list-${agent}`;
    const mine = [...chosen.entries()].filter(([, { agent: wanted = 'host' }]) => wanted === agent);
    for (const [number, one] of mine) {
      writeTrail(space, `${folder}/${number}`, one);
      // Only a caller sees structured content.
      const { tool, args, structured } = one;
      const asked = { ...one, tool: 'shop_ask', args: { tool, args } };
      if (structured) writeTrail(space, `${folder}/${number}-asked`, asked);
    }
    const events = space.path(`${agent}.jsonl`);
    const run = ['run', `trails/${folder}`, '--quiet', '--agent', agent, '--events', events];
    const { status, stdout, stderr } = space.run(program, run);
    // Some of the trails are meant to fail, but all of them are run.
    assert.ok(status === 0 || status === 1, stdout + stderr);
    for (const line of space.read(`${agent}.jsonl`).trim().split('\n')) {
      const { event, trail, ...rest } = JSON.parse(line);
      if (trail === undefined) continue;
      const id = trail.split('/').at(-1);
      outcomes.set(id, [...(outcomes.get(id) ?? []), { event, ...rest }]);
    }
  }
  return outcomes;
}

/** How the one call of a trail ended, and the tools that were called by it. */
function ended(events, tool) {
  const isIt = ({ event, parent, tool: name }) => event === 'toolStarted' && name === tool && parent === undefined;
  const started = events?.find(isIt);
  assert.ok(started, `${tool} was not called: ${JSON.stringify(events)}`);
  const { message = '', failure } = events.find(({ event, call }) => event === 'toolFinished' && call === started.call);
  const calls = events.filter(({ event, call }) => event === 'toolStarted' && call > started.call);
  return { message, failure, calls: calls.map(({ tool: name }) => name) };
}

/** What took real time differs from run to run. */
const withoutTiming = (outcomes) =>
  JSON.parse(JSON.stringify([...outcomes], (key, value) => (key === 'timing' ? undefined : value)));

const isCompiled = (name) => name.endsWith('.qjs');

function listed(space, agent) {
  const tools = JSON.parse(space.trailblaze('tools', '--json', '--agent', agent));
  return new Map(tools.filter(({ source }) => source === "the server 'tools.ts'").map((tool) => [tool.name, tool]));
}

for (const toolset of toolsets) {
  for (const bundler of BUNDLERS[toolset]) {
    describe(`${toolset}, ${bundler}`, () => {
      const chosen = cases.filter(isIn(toolset));
      const space = workspace(after, toolset);
      let outcomes;
      before(() => {
        const [made] = JSON.parse(space.trailblaze('bundle', '--with', bundler, '--json'));
        assert.equal(made.bundler, bundler);
        outcomes = runCases(space, chosen);
      });

      test('tools are listed with their flags', () => {
        const tools = listed(space, 'host');
        const expected = Object.entries(flags).filter(([, wanted]) => isIn(toolset)(wanted));
        assert.deepEqual([...tools.keys()].sort(), expected.map(([name]) => name).sort());
        for (const [name, { only, ...wanted }] of expected) {
          assert.deepEqual(tools.get(name).flags, { ...PLAIN, ...wanted }, name);
        }
        assert.ok(!listed(space, 'on-device').has('shop_hostOnly'));
      });

      chosen.forEach(({ name, tool, message, structured, failure, stack, calls }, number) => {
        test(name, () => {
          const outcome = ended(outcomes.get(String(number)), tool);
          if (failure) {
            assert.equal(outcome.failure?.kind, failure.kind, JSON.stringify(outcome));
            fits(outcome.failure.message, failure.message);
          } else {
            assert.equal(outcome.failure, undefined);
            assert.equal(outcome.message, message);
          }
          if (stack?.of.includes(toolset)) {
            const place = `tools.ts:${lineOf(space.read('tools.ts'), stack.line)}:`;
            assert.ok(outcome.failure.stack.startsWith(`    at ${stack.function} (${place}`), outcome.failure.stack);
          }
          assert.deepEqual(outcome.calls, calls ?? []);
          if (structured) {
            const asked = JSON.parse(ended(outcomes.get(`${number}-asked`), 'shop_ask').message);
            assert.deepEqual(asked, { text: message, structured });
          }
        });
      });

      test('a trail runs', () => space.trailblaze('run', 'trails/sign-in.trail.yaml', '--quiet'));

      test('bytecode is used where it fits, with the same results, and done without where it does not', () => {
        const [{ bytes }] = JSON.parse(space.trailblaze('bundle', '--with', bundler, '--compile', '--json'));
        assert.equal(space.files('bundles').filter(isCompiled).length, 1);
        rmSync(space.path('caches'), { recursive: true, force: true });
        space.trailblaze('run', 'trails/sign-in.trail.yaml', '--quiet');
        // The one beside the bundle is for phones.
        const kept = existsSync(space.path(CACHE)) ? space.files(CACHE) : [];
        assert.equal(kept.length, bytes < WORTH_COMPILING ? 0 : 1);
        const same = () => assert.deepEqual(withoutTiming(runCases(space, chosen)), withoutTiming(outcomes));
        same();
        if (kept.length === 0) return;
        assert.deepEqual(space.files(CACHE), kept);
        const damaged = 'of another version';
        space.write(`${CACHE}/${kept[0]}`, damaged);
        same();
        assert.deepEqual(space.files(CACHE), kept);
        assert.notEqual(space.read(`${CACHE}/${kept[0]}`), damaged);
      });

      test('what fails while the script loads has its place in the source', () => {
        const line = 'throw new Error("closed today");';
        space.write('tools.ts', `${space.read('tools.ts')}\n${line}\n`);
        space.trailblaze('bundle', '--with', bundler);
        const { status, stderr } = space.run(program, ['tools']);
        assert.equal(status, 3);
        // Bundlers do not agree on the column of a 'new'.
        const place = `tools.ts:${lineOf(space.read('tools.ts'), line)}:…`;
        fits(stderr, `error: ${place}: 'tools.ts' does not load: closed today…`);
      });
    });
  }
}
