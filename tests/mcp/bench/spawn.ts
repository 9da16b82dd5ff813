// What it takes to start servers at the same time and to shake hands with each, and nothing else. Prints the median:
//   NODE_PATH=…/node_modules bun spawn.ts [--servers N] [--runs N] [SERVER]
import { spawn } from "node:child_process";

import { median, option, round } from "./measure.ts";

const servers = option("--servers", 8);
const runs = option("--runs", 7);
const server = process.argv.slice(2).find((arg) => arg.endsWith(".ts")) ?? "server.ts";

const clientInfo = { name: "bench", version: "1.0.0" };
const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
const write = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;

async function start() {
  const child = spawn(process.execPath, [`${import.meta.dir}/${server}`], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.write(write({ id: 1, method: "initialize", params: hello }));
  let text = "";
  await new Promise<void>((resolve, reject) => {
    child.on("error", reject).on("exit", () => reject(new Error(`${server} ended at once`)));
    child.stdout.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\n")) resolve();
    });
  });
  if (!JSON.parse(text).result?.serverInfo) throw new Error(`an unexpected answer: ${text}`);
  child.stdin.write(write({ method: "notifications/initialized" }));
  return child;
}

const times: number[] = [];
for (let run = 0; run < runs; run += 1) {
  const begin = Bun.nanoseconds();
  const children = await Promise.all(Array.from({ length: servers }, start));
  times.push((Bun.nanoseconds() - begin) / 1e6);
  const ends = children.map((child) => new Promise((resolve) => child.removeAllListeners("exit").on("exit", resolve)));
  for (const child of children) child.stdin.end();
  await Promise.all(ends);
}
console.log(JSON.stringify({ server, servers, runs, startMillis: round(median(times)) }));
process.exit(0);
