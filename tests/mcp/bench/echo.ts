// What the pipes and the runtime take: a line as long as a call goes to a process that sends it back. A line of stdin
// says how often, a line of stdout the median in microseconds:
//   echo 10000 | bun echo.ts
import { spawn } from "node:child_process";

import { micros, turns } from "./measure.ts";
import params from "./payload.json";

if (process.argv.includes("--child")) {
  process.stdin.on("data", (chunk) => process.stdout.write(chunk));
} else {
  const line = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`;
  const child = spawn(process.execPath, [import.meta.path, "--child"], { stdio: ["pipe", "pipe", "inherit"] });
  let missing = 0;
  let done = () => {};
  child.stdout.on("data", (chunk: Buffer) => {
    missing -= chunk.length;
    if (missing === 0) done();
  });
  const length = Buffer.byteLength(line);
  const once = () => {
    const back = new Promise<void>((resolve) => (done = resolve));
    missing = length;
    child.stdin.write(line);
    return back;
  };
  await turns((times) => micros(times, once));
  child.stdin.end();
}
