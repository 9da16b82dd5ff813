// What `trailblaze typegen` writes, checked by tsc together with scripts that use it.

import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';

import { Space, repository, toolsets, workspace } from './lab.mjs';

const CHECK = '--noEmit --strict --target es2023 --lib es2023,dom'.split(' ');
const STRICT = [...CHECK, ...'--module esnext --moduleResolution bundler'.split(' ')];

/** Writes the types, and a script whose wrong calls are expected to be errors; an error too few is one as well. */
function check(space, files, calls) {
  assert.match(space.trailblaze('typegen'), /^wrote trailblaze-tools\.d\.ts \(\d+ tools\)\n$/);
  space.write('calls.ts', `import { client } from "@trailblaze/scripting";\n${calls}`);
  // The types of packages are for their authors to check.
  const options = [...STRICT, '--skipLibCheck', 'trailblaze-tools.d.ts', 'calls.ts', ...files];
  assert.deepEqual(space.tsc(...options), { status: 0, stdout: '' });
  // Ours are not skipped.
  assert.deepEqual(space.tsc(...STRICT, 'trailblaze-tools.d.ts'), { status: 0, stdout: '' });
}

test('a new workspace', () => {
  const space = new Space(after);
  space.install();
  space.trailblaze('init', '--with-tools');
  const calls = `
await client.tools.counter_countTo({ target: 5 });
await client.callTool("counter_countTo", { target: 5 });
await client.tools.counter_addTwo({ expected: 2 });
await client.tools.hideKeyboard();
await client.tools.tap({ text: "+" });
await client.tools.launchApp({ appId: "com.example.counter" });
// @ts-expect-error it is a number
await client.tools.counter_countTo({ target: "five" });
// @ts-expect-error it is required
await client.tools.counter_countTo({});
// @ts-expect-error so the arguments are too
await client.tools.counter_countTo();
// @ts-expect-error there is no such argument
await client.tools.counter_countTo({ target: 5, slowly: true });
// @ts-expect-error it is a number here as well
await client.callTool("counter_countTo", { target: "five" });
// @ts-expect-error there is no such tool
await client.tools.counter_countDown({ target: 5 });
// @ts-expect-error no built-in tool takes that
await client.tools.launchApp({ appId: 7 });
`;
  check(space, ['tools/counter.ts', 'tools/counter.test.ts'], calls);
});

test('the first example', () => {
  const space = new Space(after);
  cpSync(join(repository, 'examples', 'first'), space.root, { recursive: true });
  space.install();
  const calls = `
await client.tools.parcel_search({ query: "mill", atLeast: 2 });
await client.tools.parcel_leaveCards({ street: "Mill Lane" });
// @ts-expect-error it is a number
await client.tools.parcel_search({ query: "mill", atLeast: "two" });
// @ts-expect-error it is required
await client.tools.parcel_leaveCards({});
`;
  check(space, ['tools/parcel.ts', 'tools/parcel.test.ts'], calls);
});

for (const toolset of toolsets) {
  test(`a toolset of ours, ${toolset}`, () => {
    const calls = `
await client.tools.shop_order({ code: "P-1", count: 2 });
await client.tools.shop_ask({ tool: "shop_greet", args: { who: "Ada" } });
await client.tools.shop_fatal();
// @ts-expect-error it is a number
await client.tools.shop_order({ code: "P-1", count: "two" });
// @ts-expect-error it is required
await client.tools.shop_greet({});
`;
    check(workspace(after, toolset), ['tools.ts'], calls);
  });
}
