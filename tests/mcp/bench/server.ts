// A server on stdin and stdout with one tool that does nothing, on the official SDK: what every figure here is measured
// against. It is the first generation, which is the quicker one.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import * as z from "zod/v4";

const server = new McpServer({ name: "bench", version: "1.0.0" });
server.registerTool(
  "bench_echo",
  { description: "Does nothing.", inputSchema: { text: z.string() } },
  ({ text }) => ({ content: [{ type: "text", text }] }),
);
await server.connect(new StdioServerTransport());
