import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod/v4";

serveStdio(() => {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  const about = { description: "Does nothing.", inputSchema: z.object({ note: z.string().optional() }) };
  server.registerTool("bench_nothing", about, async () => ({ content: [{ type: "text", text: "done" }] }));
  return server;
});
