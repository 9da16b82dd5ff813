// Stands in for `@modelcontextprotocol/server/stdio` in a bundle for QuickJS. The bundler maps the first import to the
// module that this one replaces.

import { serveStdio as serve } from 'trailblaze:real-serve-stdio';

import { StdioServerTransport } from './mcp-stdio.js';

export { StdioServerTransport };

export function serveStdio(factory, options = {}) {
  return serve(factory, { transport: new StdioServerTransport(), ...options });
}
