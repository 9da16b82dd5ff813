// The other tools, called from inside of a tool.

import { callEngine } from './callback.js';
import { Invocation, current } from './invocation.js';

/** A call that failed. */
export class ToolError extends Error {
  name = 'ToolError';

  constructor(message, { tool, kind, hint } = {}) {
    super(message);
    this.tool = tool;
    this.kind = kind;
    this.hint = hint;
  }
}

export class TrailblazeClient {
  #call;
  #tools;

  /** Without `meta`, the client serves whatever tool call is under way. */
  constructor(meta) {
    this.#call = meta && { id: meta.invocationId, meta };
  }

  /** For the second parameter of a handler: of ours, and of the first and the second generation of the official SDK. */
  static fromContext(context) {
    if (context?.client instanceof TrailblazeClient) return context.client;
    const { trailblaze, trailblazeInvocationId: invocationId } = context?.mcpReq?._meta ?? context?._meta ?? {};
    return new TrailblazeClient({ invocationId, ...trailblaze });
  }

  static ofInvocation(invocation) {
    const client = new TrailblazeClient();
    client.#call = invocation;
    return client;
  }

  /** Every tool of the session as a function. */
  get tools() {
    // Whatever has a `then` is taken for a promise, so there is no tool of that name here.
    const get = (_, name) =>
      typeof name === 'symbol' || name === 'then' ? undefined : (args) => this.callTool(name, args);
    return (this.#tools ??= new Proxy(Object.freeze({}), { get }));
  }

  /** Calls any tool of the session. */
  callTool(name, args = {}) {
    return this.#ask(name, args, whole);
  }

  /** What the method of a command does. */
  static command(name, names, read = whole) {
    return function (...values) {
      const places = name === 'tap' && typeof values[0] === 'number' ? ['x', 'y'] : names;
      return this.#ask(name, options(name, places, values), read);
    };
  }

  #ask(name, args, read) {
    const call = this.#call ?? current();
    // Where the call is made: after an `await` that is nowhere on the stack.
    const place = new Error();
    if (!(call instanceof Invocation) || call.ended) return request(name, args, read, call, place);
    const opened = call.open();
    opened.promise = request(name, args, read, call, place, opened);
    return opened;
  }
}

const whole = (result) => result;

async function request(name, args, read, call, place, opened) {
  try {
    if (call?.ended) {
      const errorMessage = `'${name}' was called when its tool had already ended`;
      throw failure({ errorMessage, kind: 'Interrupted' }, name, place);
    }
    let outcome;
    try {
      outcome = await callEngine(name, args, call);
    } catch (error) {
      throw failure({ errorMessage: error?.message ?? String(error) }, name, place);
    }
    if (!outcome.success) throw failure(outcome, name, place);
    const result = read({ text: outcome.textContent ?? '', structured: outcome.structuredContent ?? undefined });
    if (opened) call.close(opened);
    return result;
  } catch (error) {
    if (opened) call.close(opened, error);
    throw error;
  }
}

function failure({ errorMessage, kind, hint }, tool, place) {
  const error = new ToolError(errorMessage || `tool '${tool}' failed`, { tool, kind, hint });
  if (place.stack) error.stack = place.stack.replace(/^Error:? *(?=\n)/, `ToolError: ${error.message}`);
  return error;
}

/** The built-in tools that have a method, with the names of their arguments where they are given by position. */
const COMMANDS = {
  tap: ['text'],
  inputText: ['text'],
  eraseText: ['charactersToErase'],
  clearText: [],
  launchApp: ['appId'],
  stopApp: ['appId'],
  clearAppData: ['packageId'],
  grantPermission: ['packageId', 'permission'],
  captureScreen: [],
  isVisible: ['text'],
  hasText: ['text'],
  getElementText: ['id'],
  getElementCount: ['text'],
  assertVisible: ['text'],
  waitUntilVisible: ['text', 'timeoutMs'],
  waitUntilNotVisible: [],
  waitForChange: ['timeoutMs'],
  wait: ['timeToWaitInSeconds'],
  pressBack: [],
  pressHome: [],
  pressKey: ['keyCode'],
  hideKeyboard: [],
  swipe: ['direction', 'durationMs'],
  scroll: ['direction', 'amount'],
  scrollUntilTextIsVisible: ['text'],
  pinch: ['scale'],
  openUrl: ['url'],
  setClipboard: ['text'],
  pasteClipboard: [],
  takeSnapshot: ['screenName'],
  adbShell: ['command'],
};

const answer = (read) => ({ text, structured }) => (structured?.value !== undefined ? structured.value : read(text));
const yesOrNo = answer((text) => text === 'true');

/** What the method of a query gives instead of the whole result. */
const ANSWERS = {
  isVisible: yesOrNo,
  hasText: yesOrNo,
  waitUntilNotVisible: yesOrNo,
  getElementText: answer((text) => (text === 'null' ? null : text)),
  getElementCount: answer(Number),
  captureScreen: ({ text, structured }) => ({ text, ...structured }),
};

function options(command, names, values) {
  const args = {};
  values.forEach((value, index) => {
    if (value === undefined) return;
    if (typeof value === 'object' && value !== null) Object.assign(args, value);
    else if (names[index]) args[names[index]] = value;
    else throw new TypeError(`client.${command}: argument ${index + 1} must be an object of options`);
  });
  return args;
}

for (const [command, names] of Object.entries(COMMANDS)) {
  TrailblazeClient.prototype[command] = TrailblazeClient.command(command, names, ANSWERS[command]);
}

/** Takes what `tap` takes; the built-in tool of this name knows only elements of a snapshot. */
TrailblazeClient.prototype.longPress = function (...values) {
  return this.tap(...values, { longPress: true });
};

/** Serves whatever tool call is under way. */
export const client = new TrailblazeClient();
