// An MCP server that has nothing but tools. It speaks both generations of the protocol: the handshake of 2025-11-25 and
// older, and 2026-07-28, where every request names its version.

import { contextOf } from './context.js';
import { Invocation, blame } from './invocation.js';
import { Text, plain, returned, thrown } from './outcome.js';
import { missingRequiredArgs } from './result.js';
import { connect } from './transport.js';

export const VERSION = '0.1.0';

const INFO = { name: '@trailblaze/scripting', version: VERSION };
const HANDSHAKE = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const MODERN = '2026-07-28';
const NAMESPACE = 'io.modelcontextprotocol/';
const VERSION_KEY = `${NAMESPACE}protocolVersion`;
const CAPABILITIES = { tools: {} };
const CACHE = { ttlMs: 0, cacheScope: 'private' };

const { stringify } = JSON;

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

class ProtocolError extends Error {
  constructor(code, message, data) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export class Server {
  #tools = new Map();
  #running = new Map();
  #wire;

  /** Adds a tool `{ descriptor, validate, handler }`. The first one opens the connection. */
  add(tool) {
    const { name } = tool.descriptor;
    if (this.#tools.has(name)) throw new Error(`tool '${name}' is defined twice in this program`);
    this.#wire ??= connect({
      receive: (message) => this.#receive(message),
      call: (id, name, args, invocation) => this.#receiveCall(id, name, args, invocation),
      unhandled,
      blamed,
    });
    this.#tools.set(name, tool);
  }

  #receive(message) {
    if (!isObject(message)) return this.#refuse(null, new ProtocolError(-32600, 'not a JSON-RPC message'));
    const { jsonrpc, id, method, params = {} } = message;
    const isNotification = id === undefined;
    const isRequest = typeof id === 'string' || typeof id === 'number';
    if (jsonrpc !== '2.0' || typeof method !== 'string' || !(isNotification || isRequest)) {
      // This server asks nothing, so an answer can only be a late one to something else.
      if (!('result' in message || 'error' in message)) {
        this.#refuse(isRequest ? id : null, new ProtocolError(-32600, 'not a JSON-RPC 2.0 request'));
      }
      return;
    }
    if (isNotification) {
      if (method === 'notifications/cancelled') this.#running.get(params?.requestId)?.cancel();
      return;
    }
    this.#settle(id, () => this.#answer(method, params, id));
  }

  /** A call that comes straight from the engine, which does without a message. */
  #receiveCall(id, name, args, invocation) {
    this.#settle(id, () => this.#call(id, name, args, new Invocation(invocation, this.#wire.about)));
  }

  #settle(id, answer) {
    try {
      const result = answer();
      if (isPromise(result)) void this.#replyLater(id, result);
      else this.#reply(id, result);
    } catch (error) {
      this.#refuse(id, error);
    }
  }

  /** Nobody waits for the answer of a call that was cancelled. */
  #reply(id, result) {
    if (!result) return;
    if (result instanceof Text && this.#wire.answer) this.#wire.answer(id, result.text);
    else this.#wire.send(answerOf(id, stringify(plain(result))), id);
  }

  async #replyLater(id, result) {
    try {
      this.#reply(id, await result);
    } catch (error) {
      this.#refuse(id, error);
    }
  }

  #refuse(id, { code, message, data }) {
    const error = { code: Number.isInteger(code) ? code : -32603, message };
    if (data) error.data = data;
    this.#wire.send(stringify({ jsonrpc: '2.0', id, error }), id);
  }

  /** The result or a promise of it. */
  #answer(method, params, id) {
    if (!isObject(params)) throw new ProtocolError(-32602, `the parameters of '${method}' are not an object`);
    const claimed = params._meta?.[VERSION_KEY];
    if (claimed === undefined) return this.#dispatch(method, params, id);
    if (claimed !== MODERN) {
      const data = { supported: [MODERN], requested: String(claimed) };
      throw new ProtocolError(-32022, `unsupported protocol version '${claimed}'`, data);
    }
    const complete = (result) =>
      result && { resultType: 'complete', ...(method === 'tools/list' && CACHE), ...plain(result) };
    const result = this.#dispatch(method, params, id);
    return isPromise(result) ? result.then(complete) : complete(result);
  }

  #dispatch(method, params, id) {
    switch (method) {
      case 'tools/call': {
        const { name, arguments: args = {}, _meta: meta } = params;
        const invocation = meta?.trailblazeInvocationId ?? meta?.trailblaze?.invocationId;
        return this.#call(id, name, args, new Invocation(invocation, () => meta?.trailblaze));
      }
      case 'tools/list':
        return { tools: [...this.#tools.values()].map(({ descriptor }) => descriptor) };
      case 'initialize': {
        const protocolVersion = HANDSHAKE.includes(params.protocolVersion) ? params.protocolVersion : HANDSHAKE.at(-1);
        return { protocolVersion, capabilities: CAPABILITIES, serverInfo: INFO };
      }
      case 'server/discover':
        return {
          resultType: 'complete',
          supportedVersions: [MODERN],
          capabilities: CAPABILITIES,
          ...CACHE,
          _meta: { [`${NAMESPACE}serverInfo`]: INFO },
        };
      case 'ping':
        return {};
      default:
        throw new ProtocolError(-32601, `unknown method '${method}'`);
    }
  }

  /** The result of a tool or a promise of it; nothing once the call was cancelled. */
  #call(id, name, args, invocation) {
    const tool = this.#tools.get(name);
    if (!tool) throw new ProtocolError(-32602, `unknown tool '${name}'`);
    if (!isObject(args)) throw new ProtocolError(-32602, `the arguments of '${name}' are not an object`);
    // It is for programs that read it there; what is in it also stands in `_meta`.
    delete args._trailblazeContext;

    invocation.begin();
    this.#running.set(id, invocation);
    const outcome = run(tool, args, invocation, this.#wire.turn);
    if (isPromise(outcome)) return outcome.then((result) => this.#ended(id, invocation, result));
    return this.#ended(id, invocation, outcome);
  }

  #ended(id, invocation, result) {
    this.#running.delete(id);
    return invocation.cancelled ? undefined : result;
  }
}

const isPromise = (value) => typeof value?.then === 'function';

/** Most tools need not wait for anything, and then nobody waits for a promise. */
function run(tool, args, invocation, turn) {
  let outcome;
  try {
    const checked = tool.validate(args);
    if (isPromise(checked)) outcome = checked.then((checked) => handle(tool, checked, invocation));
    else outcome = handle(tool, checked, invocation);
  } catch (error) {
    outcome = thrown(error);
  }
  if (turn || invocation.isBusy || isPromise(outcome)) return windUp(outcome, invocation, turn);
  invocation.end();
  return outcome;
}

function handle(tool, { value, missing }, invocation) {
  if (missing) return missingRequiredArgs(missing);
  const answer = tool.handler(value, contextOf(invocation));
  return isPromise(answer) ? Promise.resolve(answer).then(returned) : returned(answer);
}

async function windUp(outcome, invocation, turn) {
  let result;
  try {
    result = await outcome;
  } catch (error) {
    result = thrown(error);
  }
  // What goes on after a call may make more of them.
  do {
    if (invocation.isOpen) await invocation.settle();
    if (turn) await turn();
  } while (invocation.isOpen);
  invocation.end();
  return invocation.unseen && !result.isError ? thrown(invocation.unseen.error) : result;
}

const answerOf = (id, result) =>
  `{"jsonrpc":"2.0","id":${typeof id === 'number' ? id : stringify(id)},"result":${result}}`;

/** The answer of a call, with an error in it that nobody handled. */
function blamed(error, answer) {
  const { id, result } = JSON.parse(answer || '{}');
  if (!result || result.isError) return answer;
  return answerOf(id, stringify(thrown(error)));
}

function unhandled(error) {
  if (!blame(error)) console.error('unhandled rejection:', error);
}
