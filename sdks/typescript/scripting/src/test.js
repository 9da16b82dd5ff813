// Tests of tools. A test file is a toolset whose tools are its tests: 'trailblaze tool test' calls each on a device of
// its own.

import { tool } from './tool.js';

/** Defines a test. It gets what every tool's handler gets; it passes when it returns. */
export function test(name, run) {
  tool({
    name,
    description: `The test '${name}'`,
    input: { type: 'object' },
    meta: { isForLlm: false, isRecordable: false },
    handler: async (_args, context) => {
      await run(context);
    },
  });
}

export class AssertionError extends Error {
  constructor(message, actual, expected) {
    super(message);
    this.name = 'AssertionError';
    this.actual = actual;
    this.expected = expected;
  }
}

const show = (value) => {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof RegExp || typeof value === 'function') return String(value);
  return JSON.stringify(value) ?? String(value);
};

function same(a, b) {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (a instanceof Date) return same(a.getTime(), b.getTime());
  if (a instanceof RegExp) return String(a) === String(b);
  if (a instanceof Map || a instanceof Set) return same([...a], [...b]);
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}

function check(holds, message, fallback, actual, expected) {
  if (!holds) throw new AssertionError(message ?? fallback(), actual, expected);
}

function fits(error, expected) {
  if (expected === undefined) return true;
  if (expected instanceof RegExp) return expected.test(String(error?.message ?? error));
  return error instanceof expected;
}

function checkThrown(thrown, expected, message) {
  check(thrown !== undefined, message, () => 'nothing was thrown', undefined, expected);
  const { error } = thrown;
  check(fits(error, expected), message, () => `${show(error)} was thrown, not ${show(expected)}`, error, expected);
  return error;
}

/** What a test expects. Each fails with a message of its own unless it is given one. */
export const assert = Object.freeze({
  ok(value, message) {
    check(value, message, () => `${show(value)} is not true`, value, true);
  },
  equal(actual, expected, message) {
    check(Object.is(actual, expected), message, () => `${show(actual)} is not ${show(expected)}`, actual, expected);
  },
  notEqual(actual, unexpected, message) {
    check(!Object.is(actual, unexpected), message, () => `it is ${show(actual)}`, actual, unexpected);
  },
  deepEqual(actual, expected, message) {
    check(same(actual, expected), message, () => `${show(actual)} is not ${show(expected)}`, actual, expected);
  },
  match(text, pattern, message) {
    check(pattern.test(text), message, () => `${show(text)} does not match ${pattern}`, text, pattern);
  },
  throws(run, expected, message) {
    let thrown;
    try {
      run();
    } catch (error) {
      thrown = { error };
    }
    return checkThrown(thrown, expected, message);
  },
  async rejects(promise, expected, message) {
    let thrown;
    try {
      await (typeof promise === 'function' ? promise() : promise);
    } catch (error) {
      thrown = { error };
    }
    return checkThrown(thrown, expected, message);
  },
  fail(message = 'failed') {
    throw new AssertionError(message);
  },
});
