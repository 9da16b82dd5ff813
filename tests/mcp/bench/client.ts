// The official client calls the tool of a server, one call after the other. A line of stdin says how many calls, a line
// of stdout the median of one in microseconds:
//   echo 10000 | NODE_PATH=…/node_modules bun client.ts
// The second generation of the SDK takes longer, as a client and as a server.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

import { micros, turns } from "./measure.ts";
import params from "./payload.json";

const client = new Client({ name: "bench", version: "1.0.0" });
const env = process.env as Record<string, string>;
await client.connect(new StdioClientTransport({ command: process.execPath, args: [`${import.meta.dir}/server.ts`], env }));
const call = () => client.callTool(params);
const { content } = (await call()) as { content: { text: string }[] };
if (content[0]?.text !== params.arguments.text) throw new Error(`an unexpected answer: ${JSON.stringify(content)}`);
await turns((calls) => micros(calls, call));
await client.close();
