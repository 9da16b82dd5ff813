import type { ToolContext } from './index.js';

/** Defines a test. It gets what every tool's handler gets; it passes when it returns. */
export declare function test(name: string, run: (context: ToolContext) => unknown): void;

export declare class AssertionError extends Error {
  actual: unknown;
  expected: unknown;
}

type Expected = RegExp | (abstract new (...args: never[]) => unknown);

/** What a test expects. Each fails with a message of its own unless it is given one. */
export declare const assert: {
  ok(value: unknown, message?: string): asserts value;
  equal(actual: unknown, expected: unknown, message?: string): void;
  notEqual(actual: unknown, unexpected: unknown, message?: string): void;
  deepEqual(actual: unknown, expected: unknown, message?: string): void;
  match(text: string, pattern: RegExp, message?: string): void;
  /** Gives back what was thrown. */
  throws(run: () => unknown, expected?: Expected, message?: string): unknown;
  /** Gives back what the promise was rejected with. */
  rejects(
    promise: Promise<unknown> | (() => Promise<unknown>),
    expected?: Expected,
    message?: string,
  ): Promise<unknown>;
  fail(message?: string): never;
};
