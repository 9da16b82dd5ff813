// Two tools that ask Trailblaze, on the first generation of the official SDK.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { TrailblazeClient } from '@trailblaze/client';
import * as z from 'zod/v4';

const server = new McpServer({ name: 'desk', version: '1.0.0' });
const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });

server.registerTool('desk_look', { inputSchema: { text: z.string() } }, async ({ text }, extra) => {
  const tb = TrailblazeClient.fromContext(extra);
  const isPhone = tb.maestro !== null && tb.playwright === null;
  return said(`${await tb.isVisible(text)} on ${tb.platform}, a ${isPhone ? 'phone' : 'browser'}`);
});

server.registerTool('desk_tap', { inputSchema: { text: z.string() } }, async ({ text }, extra) => {
  await TrailblazeClient.fromContext(extra).tap(text);
  return said('tapped');
});

await server.connect(new StdioServerTransport());
