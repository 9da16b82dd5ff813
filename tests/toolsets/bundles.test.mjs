// The toolsets in QuickJS: bundled in every way there is, and run on the sim by the program itself.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import test, { after, before, describe } from 'node:test';

import { cases, fits, flags, isIn, lineOf, program, toolsets, workspace } from './lab.mjs';
import { PLAIN, ended, endedAsListed, runCases } from './runs.mjs';

const WITH_PACKAGES = ['esbuild', 'bun'];
const BUNDLERS = { light: ['own', ...WITH_PACKAGES], 'official-v1': WITH_PACKAGES, 'official-v2': WITH_PACKAGES };
/** Smaller bundles are run from their source. */
const CACHE = 'caches/trailblaze/compiled';
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

      chosen.forEach((one, number) => {
        test(one.name, () => {
          endedAsListed(toolset, one, outcomes, number);
          if (!one.stack?.of.includes(toolset)) return;
          const { failure } = ended(outcomes.get(String(number)), one.tool);
          const place = `tools.ts:${lineOf(space.read('tools.ts'), one.stack.line)}:`;
          assert.ok(failure.stack.startsWith(`    at ${one.stack.function} (${place}`), failure.stack);
        });
      });

      test('a trail runs', () => space.trailblaze('run', 'trails/sign-in.trail.yaml', '--quiet'));

      test('bytecode is used where it fits, with the same results, and done without where it does not', () => {
        space.trailblaze('bundle', '--with', bundler, '--compile');
        assert.equal(space.files('bundles').filter(isCompiled).length, 1);
        rmSync(space.path('caches'), { recursive: true, force: true });
        space.trailblaze('run', 'trails/sign-in.trail.yaml', '--quiet');
        // The one beside the bundle is for phones.
        const kept = space.files(CACHE);
        assert.equal(kept.length, 1);
        const same = () => assert.deepEqual(withoutTiming(runCases(space, chosen)), withoutTiming(outcomes));
        same();
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
