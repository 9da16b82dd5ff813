// The client for Rust, which the program's own tests use, in both encodings.

import { dirname, join } from 'node:path';

import { bringsItsToken, runsTheList } from './clients.mjs';
import { program } from './lab.mjs';

const runner = join(dirname(program), 'examples', 'rpc_runner');

for (const format of ['binary', 'json']) {
  const run = (list, address) => [runner, [list, address, format]];
  bringsItsToken(`rust, ${format}`, run);
  runsTheList(`rust, ${format}`, run);
}
