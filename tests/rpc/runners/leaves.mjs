// Tests that start servers wherever one can, and leave them: `node leaves.mjs [waits]`. The addresses are printed.

import assert from 'node:assert/strict';
import test, { before, describe } from 'node:test';
import { setTimeout } from 'node:timers/promises';

import { here, serve } from '../lab.mjs';

const start = async () => process.stderr.write(`${await serve(here('./workspace'))}\n`);

describe('a suite', () => {
  before(start);
  test('a test', start);
  test('a test that fails', async () => {
    await start();
    if (process.argv[2] === 'waits') await setTimeout(60_000);
    assert.fail('on purpose');
  });
});
