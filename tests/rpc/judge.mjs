// Whether the commands of the list ended as it says. A runner prints what became of each, one line of JSON after the other:
// `{"value": …}` or `{"failure": {"isAssertion", "kind", "message", "hint", "candidates", "code", "status"}}`, where the status is that
// of the error of a call, and null where an answer says why.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { fits } from '../toolsets/lab.mjs';

export const list = JSON.parse(readFileSync(new URL('./conformance.json', import.meta.url), 'utf8'));

/** Objects and lists have at least what is expected; in a text, `…` stands for any text. */
export function resembles(actual, expected) {
  if (typeof expected === 'string') return fits(actual, expected);
  if (typeof expected !== 'object' || expected === null) return assert.equal(actual ?? null, expected);
  assert.equal(typeof actual, 'object', JSON.stringify(actual));
  for (const [key, value] of Object.entries(expected)) resembles(actual?.[key], value);
}

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const PNG_END = Buffer.from('49454e44ae426082', 'hex');

export function judge({ expect }, outcome) {
  const failure = expect.failure ?? expect.error;
  if (failure) {
    assert.ok(outcome.failure, `it did not fail: ${JSON.stringify(outcome)}`);
    const { status = null, ...wanted } = failure;
    resembles(outcome.failure, { isAssertion: failure.kind === 'AssertionFailed', ...wanted });
    assert.equal(outcome.failure.status ?? null, status);
    return;
  }
  assert.equal(outcome.failure, undefined, JSON.stringify(outcome));
  const { value } = outcome;
  if (expect.success) assert.equal(value.success, true);
  if ('value' in expect) resembles(value, expect.value);
  if (expect.structured) resembles(value.structured, expect.structured);
  if (expect.png) {
    const picture = Buffer.from(value.base64, 'base64');
    assert.deepEqual(picture.subarray(0, PNG.length), PNG);
    assert.deepEqual(picture.subarray(-PNG_END.length), PNG_END);
  }
}
