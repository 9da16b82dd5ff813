// The second parameter of a handler: a view of its invocation.

import { TrailblazeClient } from './client.js';

const FIELDS = {
  client: (invocation) => (invocation.client ??= TrailblazeClient.ofInvocation(invocation)),
  memory: ({ meta }) => meta?.memory,
  device: ({ meta }) => meta?.device,
  sessionId: ({ meta }) => meta?.sessionId,
  invocationId: ({ id }) => id,
  runtime: ({ meta }) => meta?.runtime,
  /** `_meta.trailblaze`. */
  meta: ({ meta }) => meta,
  signal: ({ signal }) => signal,
};
const NAMES = Object.keys(FIELDS);
const isField = (name) => Object.hasOwn(FIELDS, name);

/** Handlers seldom look at more than one field, and each is made when they do. */
const view = {
  get: (invocation, name) => (isField(name) ? FIELDS[name](invocation) : undefined),
  has: (_, name) => isField(name),
  ownKeys: () => NAMES,
  getOwnPropertyDescriptor: (invocation, name) =>
    isField(name) ? { value: FIELDS[name](invocation), enumerable: true, configurable: true } : undefined,
  set: () => false,
  defineProperty: () => false,
  deleteProperty: () => false,
};

export const contextOf = (invocation) => new Proxy(invocation, view);
