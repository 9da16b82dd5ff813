// Stands in for `@modelcontextprotocol/sdk/server/stdio.js` in a bundle for QuickJS: the same class, over the engine
// instead of stdin and stdout.

import { host } from './transport.js';

export class StdioServerTransport {
  onmessage;
  onclose;
  onerror;
  #closed = false;

  async start() {
    const engine = host();
    if (!engine) throw new Error('this bundle was made for the Trailblaze engine and runs nowhere else');
    engine.connect((message) => {
      if (!this.#closed) this.onmessage?.(message);
    });
  }

  async send(message) {
    if (this.#closed) throw new Error('the transport is closed');
    host().send(message);
  }

  async close() {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }
}
