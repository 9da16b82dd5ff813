// The way to one device: an address, and what every request says about who asks.

import { fromJson } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';

import { readAddress, readContext, readToken } from './context.js';
import { failed, refused } from './error.js';

/** bun would ask the proxy of the machine, also for this machine; Node has no such option and no such habit. */
const direct = (input, init) => fetch(input, { ...init, proxy: false });

export class Link {
  #routing;
  #options;
  #transport;

  constructor({ context, baseUrl, token, timeoutMs, signal }) {
    const { baseUrl: told, platform, groups, signal: cancelled, ...routing } = readContext(context);
    this.address = readAddress(baseUrl ?? told);
    this.platform = platform ?? null;
    this.groups = groups;
    this.#routing = routing;
    const key = token ?? readToken(this.address);
    const headers = key ? { authorization: `Bearer ${key}` } : undefined;
    // Whole milliseconds: there is no other time in the protocol.
    const limit = timeoutMs === undefined ? undefined : Math.ceil(timeoutMs);
    this.#options = { timeoutMs: limit, headers, signal: signal ?? cancelled };
    this.#transport = createConnectTransport({ baseUrl: this.address, useBinaryFormat: true, fetch: direct });
  }

  /** The answer to a command, which must not be a failure. */
  async ask(service, method, args) {
    const request = this.#request(service, method, args);
    let answer;
    try {
      answer = await createClient(service, this.#transport)[method](request, this.#options);
    } catch (error) {
      throw refused(error, this.address);
    }
    if (answer.success === false) throw failed(answer.failure);
    return answer;
  }

  /** All answers to a command that has several. */
  async collect(service, method, args) {
    const request = this.#request(service, method, args);
    const answers = [];
    try {
      const stream = createClient(service, this.#transport)[method](request, this.#options);
      for await (const answer of stream) answers.push(answer);
    } catch (error) {
      throw refused(error, this.address);
    }
    return answers;
  }

  /** By way of JSON: enums are words there, arguments of tools are objects, and what is null is left out. */
  #request(service, method, args) {
    try {
      return fromJson(service.method[method].input, defined({ ...args, ...this.#routing }));
    } catch (error) {
      throw new TypeError(`${method}: ${error.message}`);
    }
  }
}

const defined = (args) => Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
