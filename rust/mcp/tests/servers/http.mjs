// A toolset server over HTTP without packages. It does what it should, except for one request:
// `node http.mjs BEHAVIOUR METHOD`. `--speaks old|new|both` says which generations of MCP it knows, `--answers json|sse`
// how it answers, `--tls` that it has a certificate. The first line that it prints is its port.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSecure } from "node:https";
import { createServer as createSocket } from "node:net";

const args = process.argv.slice(2);
const option = (name, otherwise) => {
  const at = args.indexOf(name);
  return at < 0 ? otherwise : args.splice(at, 2)[1];
};
const isSecure = args.includes("--tls") && args.splice(args.indexOf("--tls"), 1).length > 0;
const speaks = option("--speaks", "both");
const answers = option("--answers", "json");
const [behaviour, strangeMethod] = args;

const MODERN = "2026-07-28";
const VERSION = "io.modelcontextprotocol/protocolVersion";
const capabilities = { tools: {}, resources: {} };
const text = (value) => ({ content: [{ type: "text", text: value }] });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const message = (rest) => JSON.stringify({ jsonrpc: "2.0", ...rest });
const event = (rest) => `event: message\ndata: ${message(rest)}\n\n`;

const sessions = new Set();
const state = { noted: [], deleted: 0, closed: [], connections: 0, resumed: [] };
const held = [];
const together = [];
const later = new Map();

const tools = {
  echo: ({ params }) => ({ ...text(JSON.stringify(params.arguments)), structuredContent: params.arguments }),
  headers: (_, { request }) => text(JSON.stringify(request.headers)),
  state: () => text(JSON.stringify(state)),
  big: () => text("y".repeat(8 << 20)),
  // Answers only after `release`.
  hold: (_, { progress }) => {
    progress(1, "holding");
    return new Promise((resolve) => held.push(() => resolve(text("held"))));
  },
  release: () => {
    for (const resolve of held.splice(0)) resolve();
    return text("released");
  },
  // Answers once so many calls are there at a time.
  together: ({ params }) =>
    new Promise((resolve) => {
      together.push(() => resolve(text("together")));
      if (together.length === params.arguments.count) for (const done of together) done();
    }),
  slow: async ({ params }, { progress }) => {
    for (let step = 1; step <= params.arguments.steps; step += 1) {
      await sleep(params.arguments.ms);
      progress(step, "");
    }
    return text("slow");
  },
  ask: ({ params }) => {
    if (params.inputResponses) return text(JSON.stringify([params.inputResponses, params.requestState]));
    const confirm = { method: "elicitation/create", params: { message: "Sure?" } };
    return { resultType: "input_required", inputRequests: { confirm }, requestState: "state" };
  },
  // Asks the client for something in its stream, and says what it was answered.
  asks: async (_, { send }) => {
    send({ id: "p", method: "ping" });
    send({ id: "s", method: "sampling/createMessage", params: {} });
    while (asked.length < 2) await sleep(1);
    return text(JSON.stringify(asked.sort()));
  },
};
const asked = [];

const list = ["echo", "headers", "broken"].map((name) => ({ name, inputSchema: { type: "object" } }));
list[1].inputSchema.properties = { region: { type: "string", "x-mcp-header": "Region" } };
list[2].inputSchema.properties = { region: { type: "string", "x-mcp-header": "no header" } };

const methods = {
  "server/discover": () => (speaks === "old" ? undefined : { supportedVersions: [MODERN], capabilities }),
  initialize: ({ params }, { response }) => {
    if (speaks === "new") return undefined;
    const session = randomUUID();
    sessions.add(session);
    response.setHeader("Mcp-Session-Id", session);
    return { protocolVersion: params.protocolVersion, capabilities, serverInfo: { name: "fixture", version: "1" } };
  },
  "tools/list": ({ params }) => (params?.cursor ? { tools: list.slice(2) } : { tools: list.slice(0, 2), nextCursor: "2" }),
  "resources/read": ({ params }) => ({ contents: [{ uri: params.uri, text: JSON.stringify({ tools: { echo: {} } }) }] }),
  "tools/call": (body, context) => tools[body.params.name](body, context),
};

const json = (response, status, value) => {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(value === undefined ? undefined : message(value));
};
const stream = (response) => response.writeHead(200, { "content-type": "text/event-stream" });
const flood = async (response, chunk, ms) => {
  while (!response.destroyed) {
    if (!response.write(chunk)) await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
    await sleep(ms);
  }
};

let isDeaf = false;
const strange = {
  // Answers, and reads nothing from then on.
  "stop-reading": async (body, { response }) => {
    isDeaf = true;
    json(response, 200, { id: body.id, result: await methods[body.method](body, { response }) });
  },
  hang: () => {},
  crash: () => process.exit(7),
  close: (_, { request }) => request.socket.destroy(),
  html: (_, { response }) => response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<p>Hello"),
  empty: (_, { response }) => json(response, 200, undefined),
  accepted: (_, { response }) => response.writeHead(202).end(),
  other: (_, { response }) => response.writeHead(200, { "content-type": "application/json" }).end('{"a":1}'),
  "no-json": (_, { response }) => response.writeHead(200, { "content-type": "application/json" }).end("not today"),
  "wrong-id": (_, { response }) => json(response, 200, { id: 4711, result: {} }),
  refuse: (body, { response }) => json(response, 400, { id: body.id, error: { code: -32000, message: "not so" } }),
  nameless: (_, { response }) => json(response, 400, { id: null, error: { code: -32000, message: "who are you" } }),
  redirect: (_, { response }) => response.writeHead(307, { location: "http://127.0.0.1:9/other" }).end(),
  cut: (_, { response, request }) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": 1000 });
    response.write('{"jsonrpc":', () => request.socket.destroy());
  },
  "cut-stream": (_, { response, request }) => {
    stream(response).write("data: {", () => request.socket.destroy());
  },
  "no-answer": (_, { response }) => stream(response).end(event({ method: "notifications/x" })),
  trickle: (_, { response }) => flood(response.writeHead(200, { "content-type": "application/json" }), " ", 20),
  endless: (_, { response }) => flood(response.writeHead(200, { "content-type": "application/json" }), " ".repeat(1 << 20), 0),
  "endless-event": (_, { response }) => flood(stream(response), `data: ${"x".repeat(1 << 20)}\n`, 0),
  comments: (_, { response }) => flood(stream(response), ": still here\n\n".repeat(1000), 0),
  notes: (_, { response }) => flood(stream(response), event({ method: "notifications/x" }).repeat(100), 0),
  noise: async (body, { response }) => {
    const result = await methods[body.method](body, { response });
    stream(response).write("event: other\ndata: x\n\ndata: not JSON\n\n");
    response.end(event({ id: body.id, result }));
  },
  // In pieces of one byte, and with the line ends of old machines.
  bytes: async (body, { response }) => {
    const result = await methods[body.method](body, { response });
    stream(response);
    for (const byte of event({ id: body.id, result }).replaceAll("\n", "\r\n")) {
      response.write(byte);
      await sleep(0);
    }
    response.end();
  },
  // Ends its stream before the answer, which is there for who comes back.
  resume: async (body, { response }) => {
    later.set("first", event({ id: body.id, result: await methods[body.method](body, { response }) }));
    stream(response).end("id: first\nretry: 100\ndata: \n\n");
  },
  "resume-cut": async (body, { response, request }) => {
    later.set("first", event({ id: body.id, result: await methods[body.method](body, { response }) }));
    stream(response).write("id: first\nretry: 100\ndata: \n\ndata: ha", () => request.socket.destroy());
  },
  "resume-never": (_, { response }) => stream(response).end("id: again\nretry: 0\ndata: \n\n"),
};

/** What the newer generation wants to see in front of a message. */
function headerTrouble({ headers }, { method, params }) {
  if (headers["mcp-protocol-version"] !== params._meta[VERSION]) return "MCP-Protocol-Version";
  if (headers["mcp-method"] !== method) return "Mcp-Method";
  const name = params.name ?? params.uri;
  if (headers["mcp-name"] !== name) return "Mcp-Name";
  if (headers["mcp-session-id"]) return "Mcp-Session-Id";
  return undefined;
}

async function post(request, response, body) {
  const { id, method, params } = body;
  const isModern = params?._meta?.[VERSION] !== undefined;
  const { accept, "mcp-session-id": session, "mcp-protocol-version": version } = request.headers;
  if (accept !== "application/json, text/event-stream") return json(response, 406);
  const refuse = (code, why) => json(response, 400, { id: id ?? null, error: { code, message: why } });
  if (isModern && speaks === "old") return refuse(-32000, "Bad Request: Server not initialized");
  if (isModern && headerTrouble(request, body)) return refuse(-32020, headerTrouble(request, body));
  if (!isModern && speaks !== "new" && method !== "initialize") {
    if (!sessions.has(session)) return json(response, 404, { id: null, error: { code: -32001, message: "Session not found" } });
    if (version !== "2025-11-25") return refuse(-32000, `version ${version}`);
  }
  if (id === undefined || method === undefined) {
    if (method === undefined) asked.push([id, body.error?.code ?? "ok"]);
    else state.noted.push([method, params?.reason ?? null]);
    return response.writeHead(202).end();
  }
  response.on("close", () => response.writableFinished || state.closed.push(params?.name ?? method));
  const send = (rest) => {
    if (!response.headersSent) stream(response);
    response.write(event(rest));
  };
  const progress = (step, what) => {
    const progressToken = params._meta.progressToken;
    send({ method: "notifications/progress", params: { progressToken, progress: step, total: 3, message: what } });
  };
  const context = { request, response, send, progress };
  if (method === strangeMethod && /^\d+$/.test(behaviour)) {
    return response.writeHead(Number(behaviour), { "content-type": "text/plain" }).end("no, thank you");
  }
  if (method === strangeMethod && behaviour in strange) return strange[behaviour](body, context);
  const result = await methods[method]?.(body, context);
  if (result === undefined) return json(response, isModern ? 404 : 200, { id, error: { code: -32601, message: `no ${method}` } });
  if (isModern) result.resultType ??= "complete";
  if (answers === "sse" || response.headersSent) {
    send({ id, result });
    response.end();
  } else json(response, 200, { id, result });
}

function handle(request, response) {
  const { method, headers } = request;
  if (method === "GET") {
    const last = headers["last-event-id"];
    state.resumed.push(last);
    if (!later.has(last) && last !== "again") return response.writeHead(405).end();
    return stream(response).end(later.get(last) ?? "id: again\nretry: 0\ndata: \n\n");
  }
  if (method === "DELETE") {
    if (sessions.delete(headers["mcp-session-id"])) state.deleted += 1;
    return response.writeHead(204).end();
  }
  if (isDeaf) return undefined;
  const pieces = [];
  request.on("data", (piece) => pieces.push(piece));
  request.on("end", () => post(request, response, JSON.parse(Buffer.concat(pieces).toString())));
}
const pem = () => readFileSync(new URL("localhost.pem", import.meta.url));
const server = isSecure ? createSecure({ key: pem(), cert: pem() }, handle) : createServer(handle);
server.on("connection", () => (state.connections += 1));

const raw = {
  ssh: (socket) => socket.write("SSH-2.0-OpenSSH_9.6\r\n"),
  mute: () => {},
  deaf: (socket) => socket.pause(),
};
const listening = behaviour in raw ? createSocket((socket) => raw[behaviour](socket.on("error", () => {}))) : server;
listening.listen(0, "127.0.0.1", () => console.log(listening.address().port));
// It ends with the test that started it.
process.stdin.on("end", () => process.exit(0)).resume();
