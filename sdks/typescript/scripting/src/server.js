// An MCP server that has nothing but tools. It speaks both generations of the protocol: the handshake of 2025-11-25 and
// older, and 2026-07-28, where every request names its version.

import { TrailblazeClient } from './client.js';
import { Invocation, blame } from './invocation.js';
import { returned, thrown } from './outcome.js';
import { missingRequiredArgs } from './result.js';
import { connect } from './transport.js';

export const VERSION = '0.1.0';

const INFO = { name: '@trailblaze/scripting', version: VERSION };
const HANDSHAKE = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const MODERN = '2026-07-28';
const NAMESPACE = 'io.modelcontextprotocol/';
const CAPABILITIES = { tools: {} };
const CACHE = { ttlMs: 0, cacheScope: 'private' };

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
    this.#wire ??= connect((message) => void this.#receive(message), unhandled);
    this.#tools.set(name, tool);
  }

  async #receive(message) {
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
    try {
      const result = await this.#answer(method, params, id);
      if (result) this.#wire.send({ jsonrpc: '2.0', id, result });
    } catch (error) {
      this.#refuse(id, error);
    }
  }

  #refuse(id, { code, message, data }) {
    const error = { code: Number.isInteger(code) ? code : -32603, message };
    if (data) error.data = data;
    this.#wire.send({ jsonrpc: '2.0', id, error });
  }

  async #answer(method, params, id) {
    if (!isObject(params)) throw new ProtocolError(-32602, `the parameters of '${method}' are not an object`);
    const claimed = params._meta?.[`${NAMESPACE}protocolVersion`];
    if (claimed !== undefined && claimed !== MODERN) {
      const data = { supported: [MODERN], requested: String(claimed) };
      throw new ProtocolError(-32022, `unsupported protocol version '${claimed}'`, data);
    }
    const result = await this.#dispatch(method, params, id);
    if (claimed === undefined || !result) return result;
    return { resultType: 'complete', ...(method === 'tools/list' && CACHE), ...result };
  }

  #dispatch(method, params, id) {
    switch (method) {
      case 'tools/call':
        return this.#call(params, id);
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

  /** The result of a tool; nothing once the call was cancelled. */
  async #call({ name, arguments: given = {}, _meta: meta }, id) {
    const tool = this.#tools.get(name);
    if (!tool) throw new ProtocolError(-32602, `unknown tool '${name}'`);
    if (!isObject(given)) throw new ProtocolError(-32602, `the arguments of '${name}' are not an object`);
    const { _trailblazeContext, ...args } = given;

    const invocation = new Invocation(metaOf(meta));
    this.#running.set(id, invocation);
    const result = await run(tool, args, invocation, this.#wire.turn);
    this.#running.delete(id);
    return invocation.cancelled ? undefined : result;
  }
}

async function run(tool, args, invocation, turn) {
  let result;
  try {
    const checked = await tool.validate(args);
    if (checked.missing) result = missingRequiredArgs(checked.missing);
    else result = returned(await tool.handler(checked.value, contextOf(invocation)));
  } catch (error) {
    result = thrown(error);
  }
  await invocation.settle();
  await turn?.();
  invocation.end();
  return invocation.unseen && !result.isError ? thrown(invocation.unseen.error) : result;
}

/** `_meta.trailblaze`; the id of the call also stands beside it. */
function metaOf(meta) {
  const { trailblaze, trailblazeInvocationId: invocationId } = meta ?? {};
  return trailblaze && { ...(invocationId && { invocationId }), ...trailblaze };
}

function contextOf(invocation) {
  const { meta } = invocation;
  const { memory, device, sessionId, invocationId, runtime } = meta ?? {};
  return {
    client: TrailblazeClient.ofInvocation(invocation),
    memory,
    device,
    sessionId,
    invocationId,
    runtime,
    meta,
    get signal() {
      return invocation.signal;
    },
  };
}

function unhandled(error) {
  if (!blame(error)) console.error('unhandled rejection:', error);
}
