// `@trailblaze/client`, packed and installed into an empty project, under node and bun.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { delimiter, join } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';

import { LATE, bringsItsToken, findsItsWay, givesUp, hasAllShapes, runsTheList } from './clients.mjs';
import { list } from './judge.mjs';
import { given, here, installed, repository, run as passes, typescriptProject } from './lab.mjs';

const TOOLSETS = ['official-v1', 'official-v2'];
const project = typescriptProject();
for (const name of ['hangs', 'run', 'shapes']) fs.cpSync(here(`./runners/${name}.mjs`), project.path(`${name}.mjs`));

// The SDKs are linked here, and not into the empty project.
const server = typescriptProject('@modelcontextprotocol', 'zod', 'tsx');
for (const name of TOOLSETS) fs.cpSync(here(`./toolsets/${name}.ts`), server.path(`${name}.ts`));

// Each runtime has words of its own.
const CANCELLED = ['Cancelled', 'canceled', '…'];
const [bun] = given('TRAILBLAZE_SDK_RUNTIMES').split(delimiter);

for (const [name, runtime] of [['node', process.execPath], ['bun', bun]]) {
  hasAllShapes(name, project, (address) => [runtime, ['shapes.mjs', address], { cwd: project.root }]);
  givesUp(name, project, (address) => [runtime, ['hangs.mjs', address], { cwd: project.root }], (address) => ({
    timeout: LATE(address),
    'timeout of a stream': LATE(address),
    signal: CANCELLED,
    'signal of a stream': CANCELLED,
    'signal of a tool call': CANCELLED,
    'signal before': CANCELLED,
    afterwards: true,
  }));
  const run = (list, address) => [runtime, ['run.mjs', list, address], { cwd: project.root }];
  bringsItsToken(name, run);
  runsTheList(name, run);
}

for (const toolset of TOOLSETS) {
  const withTsx = [process.execPath, ['--import', 'tsx', `${toolset}.ts`], { cwd: server.root }];
  findsItsWay(`${toolset}, node and tsx`, project, () => withTsx);
  findsItsWay(`${toolset}, bun`, project, () => [bun, [`${toolset}.ts`], { cwd: server.root }]);
}

test('the list has every command of the contract', async () => {
  const v1 = await import(pathToFileURL(project.path('node_modules/@trailblaze/client/src/v1.js')));
  const services = Object.values(v1).filter(({ kind }) => kind === 'service');
  const group = (name) => name.replace(/^Trailblaze(Commands)?|Commands$/g, '').toLowerCase();
  const commands = services.flatMap(({ name, methods }) =>
    methods.map(({ localName }) => [group(name), localName].filter(Boolean).join('.')),
  );
  assert.deepEqual([...new Set(list.map(({ command }) => command))].sort(), commands.sort());
});

test('the package has its license', () => {
  const own = fs.readFileSync(project.path('node_modules/@trailblaze/client/LICENSE'), 'utf8');
  for (const copy of ['LICENSE', 'sdks/typescript/scripting/LICENSE']) {
    assert.equal(own, fs.readFileSync(join(repository, copy), 'utf8'), copy);
  }
});

test('types', () => {
  fs.cpSync(here('./runners/types.ts'), server.path('types.ts'));
  const strictly = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2023', '--module', 'nodenext', '--types', ''];
  const files = ['types.ts', ...TOOLSETS.map((name) => `${name}.ts`)];
  passes(process.execPath, [installed('typescript/bin/tsc'), ...strictly, ...files], { cwd: server.root });
});
