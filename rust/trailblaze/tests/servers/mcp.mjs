// A toolset server without packages: MCP as of 2025-11-25, on stdin and stdout or over HTTP.

import { createServer } from "node:http";
import { createInterface } from "node:readline";

export const text = (value) => ({ content: [{ type: "text", text: String(value) }] });

/** What becomes of a line: the line to answer with, or nothing. */
function answering(tools) {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const shown = ({ handler, ...tool }) => ({ description: "For a test.", inputSchema: { type: "object" }, ...tool });
  const methods = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "fixture", version: "1.0.0" },
    }),
    "tools/list": () => ({ tools: tools.map(shown) }),
    "tools/call": (params) => byName.get(params.name).handler(params.arguments, params._meta),
  };
  return async (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return undefined;
    const message = methods[method]
      ? { result: await methods[method](params) }
      : { error: { code: -32601, message: `no method ${method}` } };
    return `${JSON.stringify({ jsonrpc: "2.0", id, ...message })}\n`;
  };
}

/** Serves tools until its input ends; `end` is the last thing that it does. */
export function serve(tools, end = () => {}) {
  const answer = answering(tools);
  const lines = createInterface({ input: process.stdin });
  lines.on("line", async (line) => process.stdout.write((await answer(line)) ?? ""));
  lines.on("close", end);
}

/** Serves tools at a URL, which it prints, until its input ends. */
export function serveOverHttp(tools, port = 0) {
  const answer = answering(tools);
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const message = request.method === "POST" ? await answer(body) : undefined;
    const status = request.method === "POST" ? (message ? 200 : 202) : 405;
    response.writeHead(status, { "content-type": "application/json" }).end(message);
  });
  server.listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
  process.stdin.resume().on("end", () => process.exit(0));
}

/** Serves tools as it is told: `--transport http --port N`, else on stdin and stdout. */
export function serveAsTold(tools) {
  const [transport, port] = ["--transport", "--port"].map((name) => process.argv[process.argv.indexOf(name) + 1]);
  if (transport === "http") serveOverHttp(tools, Number(port));
  else serve(tools);
}
