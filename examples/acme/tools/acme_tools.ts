// Tools for Acme Driver, in TypeScript. `npx tsx acme_tools.ts` speaks over its standard streams, and with
// `--transport http --port 8000` over HTTP, which is how Trailblaze starts it for several devices at once.

import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { TrailblazeClient } from '@trailblaze/client';
import * as z from 'zod/v4';

const result = (value: Record<string, unknown>) => ({
  content: [{ type: 'text' as const, text: JSON.stringify(value) }],
  structuredContent: value,
});

function acmeTools() {
  const server = new McpServer({ name: 'acme-tools', version: '1.0.0' });

  server.registerTool(
    'acme_driver_login',
    { description: 'Log in to Acme Driver app.', inputSchema: { email: z.string(), password: z.string() } },
    async (args, ctx) => {
      // Every call goes to the device that this tool was called for.
      const tb = TrailblazeClient.fromContext(ctx);

      await tb.clearAppData('com.acme.driver');
      await tb.launchApp('com.acme.driver');
      await tb.tap({ text: 'Sign in' });
      await tb.inputText(args.email);
      await tb.inputText(args.password);
      await tb.tap({ text: 'Submit' });
      // What is a matter of course in the test is a question here: a wrong password is an answer, not a crash.
      if (await tb.isVisible({ text: 'Invalid credentials', timeoutMs: 500 })) {
        return result({ success: false, error: 'invalid credentials' });
      }
      await tb.waitUntilVisible('Go Online', 10000);
      return result({ success: true });
    },
  );

  server.registerTool(
    'acme_handle_onboarding',
    { description: 'Get everything out of the way that is in the way at the first start.', inputSchema: {} },
    async (_args, ctx) => {
      const tb = TrailblazeClient.fromContext(ctx);

      if (await tb.isVisible({ text: 'Accept Cookies' })) await tb.tap({ text: 'Accept' });
      if (await tb.isVisible({ text: 'Skip Tutorial' })) await tb.tap({ text: 'Skip' });

      if (await tb.hasText('Welcome back')) return result({ screen: 'returning_user' });
      if (await tb.hasText('Create Account')) return result({ screen: 'new_user' });
      return result({ screen: 'unknown' });
    },
  );

  server.registerTool(
    'acme_smart_tap',
    { description: 'Tap something, wherever it is on the page.', inputSchema: { text: z.string() } },
    async ({ text }, ctx) => {
      const tb = TrailblazeClient.fromContext(ctx);

      // It looks, and leaves the acting to Trailblaze, which then records what it did.
      const tap = { tool: 'tap', args: { text } };
      const scroll = { tool: 'scroll', args: { direction: 'DOWN' } };
      const calls = (await tb.isVisible({ text })) ? [tap] : [scroll, tap];
      return result({ success: true, _trailblaze_delegates: calls });
    },
  );

  // What Trailblaze should know of the tools besides their schemas.
  const plain = { platforms: ['android', 'ios'], exposedToLlm: true, isRecordable: true };
  const registry = {
    tools: {
      acme_driver_login: { ...plain, groups: ['auth'] },
      acme_handle_onboarding: { ...plain, groups: ['setup'] },
      acme_smart_tap: { ...plain, groups: ['core'], isRecordable: false, isDelegating: true },
    },
    groups: { auth: { description: 'Authentication tools', defaultEnabled: true } },
    serverInfo: { name: 'acme-tools', version: '1.0.0' },
  };
  server.registerResource('registry', 'trailblaze://registry', { mimeType: 'application/json' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify(registry) }],
  }));

  return server;
}

const { values } = parseArgs({ options: { transport: { type: 'string' }, port: { type: 'string' } } });

if (values.transport === 'http') {
  // Without sessions: every request has a server of its own, so that devices do not wait for each other.
  const http = createServer(async (request, response) => {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await acmeTools().connect(transport);
    await transport.handleRequest(request, response);
  });
  http.listen(Number(values.port ?? 8000), '127.0.0.1');
} else {
  await acmeTools().connect(new StdioServerTransport());
}
