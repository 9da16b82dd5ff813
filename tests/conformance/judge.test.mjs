import assert from 'node:assert/strict';
import test from 'node:test';

import { expectedIn, judge, troubleIn } from './judge.mjs';

const good = { id: 'good', status: 'SUCCESS' };
const bad = { id: 'bad', status: 'FAILURE', errorMessage: 'no' };
const hint = { id: 'hint', status: 'WARNING' };
const skipped = { id: 'later', status: 'SKIPPED' };

function check({ scenarios = ['one'], results, expected = {} }, wanted) {
  assert.deepEqual(judge(scenarios, new Map(Object.entries(results)), new Map(Object.entries(expected))), wanted);
}

test('what passes is counted', () => {
  const wanted = { scenarios: 2, checks: 3, expected: 0, problems: [] };
  check({ scenarios: ['one', 'two'], results: { one: [good, good, skipped], two: [good] } }, wanted);
});

test('failures and warnings are problems', () => {
  const problems = ['one:bad failed: no', 'one:hint failed'];
  check({ results: { one: [good, bad, hint] } }, { scenarios: 1, checks: 1, expected: 0, problems });
});

test('what may fail is counted', () => {
  check({ results: { one: [bad] }, expected: { one: 'why' } }, { scenarios: 1, checks: 0, expected: 1, problems: [] });
  const one = [good, bad, hint];
  const wanted = { scenarios: 1, checks: 1, expected: 1, problems: ['one:hint failed'] };
  check({ results: { one }, expected: { 'one:bad': 'why' } }, wanted);
});

test('what was to fail and did not is a problem', () => {
  const stale = (key) => `${key} is expected to fail and did not: take it out of the list`;
  for (const key of ['one', 'one:bad', 'two']) {
    const wanted = { scenarios: 1, checks: 1, expected: 0, problems: [stale(key)] };
    check({ results: { one: [good] }, expected: { [key]: 'why' } }, wanted);
  }
});

test('nothing is not a success', () => {
  const none = { scenarios: 0, checks: 0, expected: 0 };
  check({ scenarios: [], results: {} }, { ...none, problems: ['the set names no scenario'] });
  check({ results: {} }, { ...none, problems: ['one was not run'] });
  const problems = ['one:checked-nothing failed: not a single check was made'];
  check({ results: { one: [skipped] } }, { ...none, scenarios: 1, problems });
  check({ results: { one: [] }, expected: { one: 'why' } }, { ...none, scenarios: 1, expected: 1, problems: [] });
});

test('entries are taken by half and set', () => {
  const list = [
    { half: 'client', sets: ['a', 'b'], reason: 'why', fails: ['one', 'two:x'] },
    { half: 'server', sets: ['a'], reason: 'else', fails: ['one'] },
  ];
  assert.deepEqual([...expectedIn(list, 'client', 'b')], [['one', 'why'], ['two:x', 'why']]);
  assert.deepEqual([...expectedIn(list, 'server', 'b')], []);
  assert.deepEqual(troubleIn(list, ['client', 'server'], ['a', 'b']), []);
});

test('an entry says everything, once', () => {
  const trouble = (...list) => troubleIn(list, ['client'], ['a']);
  const entry = { half: 'client', sets: ['a'], reason: 'why', fails: ['one'] };
  assert.deepEqual(trouble({ ...entry, reason: ' ' }), ['one is expected to fail without a reason']);
  assert.deepEqual(trouble({ ...entry, half: 'x' }), ["one is expected to fail in 'x', which is no half"]);
  assert.deepEqual(trouble({ ...entry, sets: ['x'] }), ["one is expected to fail in 'x', which is no requirement set"]);
  assert.deepEqual(trouble({ ...entry, sets: [] }), ['an entry of the list names nothing: one']);
  assert.deepEqual(trouble(entry, entry), ['client a one is in the list twice']);
});
