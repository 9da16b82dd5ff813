// What it takes to start servers at the same time and to shake hands with each, and nothing else. A line of stdin says
// how many, a line of stdout how long it took in milliseconds:
//   echo 8 | NODE_PATH=…/node_modules bun spawn.ts
import { spawn } from "node:child_process";

import { turns } from "./measure.ts";

const clientInfo = { name: "bench", version: "1.0.0" };
const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
const write = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;

async function start() {
  const child = spawn(process.execPath, [`${import.meta.dir}/server.ts`], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.write(write({ id: 1, method: "initialize", params: hello }));
  let text = "";
  await new Promise<void>((resolve, reject) => {
    child.on("error", reject).on("exit", () => reject(new Error("a server ended at once")));
    child.stdout.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\n")) resolve();
    });
  });
  if (!JSON.parse(text).result?.serverInfo) throw new Error(`an unexpected answer: ${text}`);
  child.stdin.write(write({ method: "notifications/initialized" }));
  return child;
}

await turns(async (servers) => {
  const begin = Bun.nanoseconds();
  const children = await Promise.all(Array.from({ length: servers }, start));
  const took = (Bun.nanoseconds() - begin) / 1e6;
  const ends = children.map((child) => new Promise((resolve) => child.removeAllListeners("exit").on("exit", resolve)));
  for (const child of children) child.stdin.end();
  await Promise.all(ends);
  return took;
});
process.exit(0);
