// Runs the client under test for one scenario and writes down how it ended, which the suite does not. It ends the client
// before the suite's own limit, because the suite would end no more than its shell.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LIMIT_MS = 25_000;

const [program, ...args] = process.argv.slice(2);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO;
const client = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
const limit = setTimeout(() => client.kill('SIGKILL'), LIMIT_MS);
const ended = (how) => {
  clearTimeout(limit);
  writeFileSync(join(process.env.TRAILBLAZE_CONFORMANCE_ENDS, encodeURIComponent(scenario)), how);
};
client.on('error', (error) => {
  ended(`could not be started: ${error.message}`);
  process.exitCode = 1;
});
client.on('exit', (code, signal) => {
  ended(signal === 'SIGKILL' ? `was not over after ${LIMIT_MS / 1000} s` : `ended with ${code ?? signal}`);
  process.exitCode = code ?? 1;
});
