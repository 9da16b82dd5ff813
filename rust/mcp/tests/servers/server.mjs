// A toolset server without packages. It does what it should, except for one request: `node server.mjs BEHAVIOUR METHOD`.
// `--speaks old|new|both|restart` says which generations of MCP it knows.
import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { createInterface } from "node:readline";

const args = process.argv.slice(2);
const option = (name, otherwise) => {
  const at = args.indexOf(name);
  return at < 0 ? otherwise : args.splice(at, 2)[1];
};
const speaks = option("--speaks", "both");
const [behaviour, strangeMethod] = args;

const write = (text) => process.stdout.write(text);
const send = (message) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (value) => ({ content: [{ type: "text", text: value }] });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

if (behaviour === "exit-at-once") {
  console.error("boom");
  process.exit(3);
}
if (behaviour === "deaf") {
  // Reads nothing, says nothing, and does not go by itself.
  setInterval(() => {}, 1000);
  await new Promise(() => {});
}
if (behaviour === "stay" || behaviour === "stay-for-ever") {
  setInterval(() => {}, 1000);
  if (behaviour === "stay-for-ever") process.on("SIGTERM", () => {});
}

const pids = [process.pid];
if (["family", "stay-for-ever"].includes(behaviour)) {
  const child = spawn("/bin/sh", ["-c", "trap '' TERM; while :; do sleep 1; done"], { stdio: "inherit" });
  child.unref();
  pids.push(child.pid);
}

const capabilities = { tools: {}, resources: {} };
const held = [];
let discovered = false;
const heard = [];
const noted = [];

const tools = {
  echo: ({ params }) => ({ ...text(JSON.stringify(params.arguments)), structuredContent: params.arguments }),
  meta: ({ params }) => text(JSON.stringify(params._meta)),
  pids: () => text(JSON.stringify(pids)),
  env: ({ params }) => text(String(process.env[params.arguments.name])),
  cwd: () => text(process.cwd()),
  image: () => ({ content: [{ type: "image", data: "aGk=", mimeType: "image/png" }] }),
  fails: () => ({ ...text("not today"), isError: true }),
  heard: () => text(heard.join(" ")),
  noted: () => text(JSON.stringify(noted)),
  wrong: () => ({ ...text("{}"), structuredContent: { n: "x" } }),
  ask: () => ({ resultType: "input_required", inputRequests: {} }),
  // Answers only after `release`, which is answered last.
  hold: (request) => {
    held.push(request.id);
    progress(request, 1, "holding");
  },
  release: () => {
    for (const id of held.splice(0)) send({ id, result: text("held") });
    return text("released");
  },
  // Takes longer than one call may without a sign.
  slow: async (request) => {
    for (let step = 1; step <= request.params.arguments.steps; step += 1) {
      await sleep(request.params.arguments.ms);
      progress(request, step, "");
    }
    return text("slow");
  },
  // Asks the client for what a server may ask, and says what it was answered.
  asks: async (request) => {
    send({ id: "p", method: "ping" });
    send({ id: "s", method: "sampling/createMessage", params: {} });
    while (asked.length < 2) await sleep(1);
    return text(JSON.stringify(asked));
  },
  logs: () => {
    send({ method: "notifications/message", params: { level: "warning", data: "careful" } });
    send({ method: "notifications/message", params: { level: "info", data: { n: 1 } } });
    return text("logged");
  },
};
const asked = [];

function progress(request, step, message) {
  const progressToken = request.params._meta.progressToken;
  send({ method: "notifications/progress", params: { progressToken, progress: step, total: 3, message } });
}

const list = ["echo", "slow", "wrong"].map((name) => ({ name, inputSchema: { type: "object" } }));
list[2].outputSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };

const methods = {
  "server/discover": () => {
    if (speaks === "old") return undefined;
    if (speaks === "restart") {
      discovered = true;
      return undefined;
    }
    return { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities, ttlMs: 0, cacheScope: "private" };
  },
  initialize: ({ params }) => {
    if (speaks === "new" || discovered) return undefined;
    return { protocolVersion: params.protocolVersion, capabilities, serverInfo: { name: "fixture", version: "1" } };
  },
  "tools/list": ({ params }) => {
    if (params?.cursor === "two") return { tools: list.slice(2) };
    return { tools: list.slice(0, 2), nextCursor: "two" };
  },
  "resources/read": ({ params }) => ({ contents: [{ uri: params.uri, text: JSON.stringify({ tools: { echo: {} } }) }] }),
  "tools/call": (request) => tools[request.params.name](request),
};

const strange = {
  crash: () => {
    for (let line = 1; line <= 100; line += 1) console.error(`line ${line}`);
    process.exit(7);
  },
  // What it started keeps its pipes open.
  orphan: () => {
    spawn("/bin/sh", ["-c", "sleep 60"], { stdio: "inherit" });
    process.exit(7);
  },
  // Answers, and reads nothing from then on.
  "stop-reading": (request) => {
    setInterval(() => {}, 1000);
    input.pause();
    process.stdin.pause();
    return methods[request.method](request);
  },
  killed: () => process.kill(process.pid, "SIGKILL"),
  hang: () => {},
  block: () => {
    while (true);
  },
  close: () => {
    setInterval(() => {}, 1000);
    closeSync(1);
  },
  garbage: () => {
    write("this is not JSON\n{ neither: 'is this' }\n[1,2]\n{\"a\":1}\n\n");
  },
  noise: (request) => {
    write("listening on port 1\n");
    return methods[request.method](request);
  },
  flood: async () => {
    const chunk = `${"noise ".repeat(100)}\n`.repeat(100);
    while (true) {
      if (!write(chunk)) await new Promise((resolve) => process.stdout.once("drain", resolve));
      else await sleep(0);
    }
  },
  "flood-stderr": (request) => {
    for (let line = 0; line < 20_000; line += 1) process.stderr.write(`${line} ${"x".repeat(500)}\n`);
    return methods[request.method](request);
  },
  long: () => {
    write(`{"jsonrpc":"2.0","id":1,"result":"${"x".repeat(20 << 20)}"}\n`);
  },
  endless: async () => {
    const chunk = "x".repeat(1 << 20);
    while (true) {
      if (!write(chunk)) await new Promise((resolve) => process.stdout.once("drain", resolve));
    }
  },
  twice: (request) => {
    send({ id: request.id, result: methods[request.method](request) });
    return methods[request.method](request);
  },
  "unknown-id": (request) => {
    send({ id: 4711, result: {} });
    send({ id: "abc", result: {} });
    return methods[request.method](request);
  },
  half: async (request) => {
    const whole = JSON.stringify({ jsonrpc: "2.0", id: request.id, result: methods[request.method](request) });
    for (const piece of [whole.slice(0, 9), whole.slice(9, -1), whole.slice(-1), "\r", "\n"]) {
      write(piece);
      await sleep(20);
    }
  },
  refuse: (request) => {
    send({ id: request.id, error: { code: -32000, message: "I would rather not" } });
  },
  null: () => null,
  list: () => [1],
  version: () => ({ protocolVersion: "1999-01-01", capabilities }),
  big: () => text("y".repeat(8 << 20)),
};

const input = createInterface({ input: process.stdin });
input.on("line", async (line) => {
  const request = JSON.parse(line);
  if (request.method === undefined) {
    asked.push([request.id, request.error?.code ?? "ok"]);
    return;
  }
  if (request.id === undefined) {
    noted.push([request.method, request.params?.reason ?? null]);
    return;
  }
  heard.push(request.method);
  const isStrange = request.method === strangeMethod && behaviour in strange;
  const handle = isStrange ? strange[behaviour] : methods[request.method];
  const result = await handle?.(request);
  if (result !== undefined) send({ id: request.id, result });
  else if (!isStrange && !["hold"].includes(request.params?.name)) {
    send({ id: request.id, error: { code: -32601, message: `no ${request.method}` } });
  }
});
