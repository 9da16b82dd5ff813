// The client's end of a JSON-RPC connection.

import { spawn } from 'node:child_process';

export class Peer {
  #waiting = new Map();
  #next = 0;
  received = [];

  constructor(write) {
    this.write = write;
  }

  receive(message) {
    this.received.push(message);
    this.#waiting.get(message.id)?.(message);
    this.#waiting.delete(message.id);
  }

  /** The whole answer to a message that is sent as it is. */
  exchange(message) {
    const answer = this.answerTo(message.id);
    this.write(message);
    return answer;
  }

  answerTo(id) {
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  ask(method, params) {
    return this.exchange({ jsonrpc: '2.0', id: ++this.#next, method, params });
  }

  async call(name, args, meta) {
    const { result, error } = await this.ask('tools/call', { name, arguments: args, _meta: meta });
    return result ?? error;
  }
}

/** Starts a program and speaks to it over its stdin and stdout. */
export function startProgram(command, args, { env = {}, cwd } = {}) {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  const peer = new Peer((message) => {
    child.stdin.write(typeof message === 'string' ? message : `${JSON.stringify(message)}\n`);
  });
  peer.stderr = '';
  peer.noise = [];
  child.stderr.setEncoding('utf8').on('data', (chunk) => (peer.stderr += chunk));
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      try {
        peer.receive(JSON.parse(line));
      } catch {
        peer.noise.push(line);
      }
    }
  });
  const exit = new Promise((resolve, reject) => child.on('close', resolve).on('error', reject));
  peer.close = () => {
    child.stdin.end();
    return exit;
  };
  return peer;
}
