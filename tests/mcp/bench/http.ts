// A server on HTTP with a tool that waits, on the official SDK. Prints its port and ends with its stdin:
//   NODE_PATH=…/node_modules bun http.ts
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import * as z from "zod/v4";

// One session is all that is needed; a request for another one begins anew.
let session = await begin();

async function begin() {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  server.registerTool(
    "bench_wait",
    { description: "Waits.", inputSchema: { millis: z.number() } },
    async ({ millis }) => {
      if (millis > 0) await Bun.sleep(millis);
      return { content: [{ type: "text", text: "done" }] };
    },
  );
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
  await server.connect(transport);
  return transport;
}

const server = createServer(async (request, response) => {
  if (request.headers["mcp-session-id"] === undefined && session.sessionId !== undefined) session = await begin();
  await session.handleRequest(request, response);
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
process.stdin.on("end", () => process.exit(0)).resume();
