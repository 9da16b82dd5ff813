// The official client calls the tool of a server, one call after the other, and prints the median of a call:
//   NODE_PATH=…/node_modules bun client.ts [--calls N] [SERVER]
// SERVER is a file beside this one. The second generation of the SDK takes longer, as a client and as a server.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

import { micros, option, round } from "./measure.ts";
import params from "./payload.json";

const calls = option("--calls", 10_000);
const server = process.argv.slice(2).find((arg) => arg.endsWith(".ts")) ?? "server.ts";

const client = new Client({ name: "bench", version: "1.0.0" });
const environment = process.env as Record<string, string>;
await client.connect(
  new StdioClientTransport({ command: process.execPath, args: [`${import.meta.dir}/${server}`], env: environment }),
);
const call = () => client.callTool(params);
const { content } = (await call()) as { content: { text: string }[] };
if (content[0]?.text !== params.arguments.text) throw new Error(`an unexpected answer: ${JSON.stringify(content)}`);
const callMicros = await micros(calls, call);
await client.close();
console.log(JSON.stringify({ server, calls, callMicros: round(callMicros) }));
