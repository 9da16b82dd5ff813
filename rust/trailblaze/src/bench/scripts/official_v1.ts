import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import * as z from "zod/v4";

const server = new McpServer({ name: "bench", version: "1.0.0" });
const about = { description: "Does nothing.", inputSchema: { note: z.string().optional() } };
server.registerTool("bench_nothing", about, async () => ({ content: [{ type: "text", text: "done" }] }));
await server.connect(new StdioServerTransport());
