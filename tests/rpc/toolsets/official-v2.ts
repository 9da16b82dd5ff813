// Two tools that ask Trailblaze, on the second generation of the official SDK.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { TrailblazeClient } from '@trailblaze/client';
import * as z from 'zod/v4';

const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });

serveStdio(() => {
  const server = new McpServer({ name: 'desk', version: '1.0.0' });

  server.registerTool('desk_look', { inputSchema: z.object({ text: z.string() }) }, async ({ text }, context) => {
    const tb = TrailblazeClient.fromContext(context);
    const isPhone = tb.maestro !== null && tb.playwright === null;
    return said(`${await tb.isVisible(text)} on ${tb.platform}, a ${isPhone ? 'phone' : 'browser'}`);
  });

  server.registerTool('desk_tap', { inputSchema: z.object({ text: z.string() }) }, async ({ text }, context) => {
    await TrailblazeClient.fromContext(context).tap(text);
    return said('tapped');
  });

  return server;
});
