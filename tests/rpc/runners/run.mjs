// Runs the commands of a list with the client for TypeScript: `node run.mjs LIST ADDRESS`.

import { readFileSync } from 'node:fs';
import { TrailblazeAssertionError, TrailblazeClient, TrailblazeError } from '@trailblaze/client';

const [, , path, address] = process.argv;

/** The commands whose method has another name or shape. */
const OTHERS = {
  takeScreenshot: async (tb, args) => ({ base64: Buffer.from(await tb.screenshot(args)).toString('base64') }),
  getMemory: (tb, { key }) => tb.memory.get(key),
  setMemory: (tb, { key, value }) => tb.memory.set(key, value),
  listMemory: (tb) => tb.memory.all(),
  callTool: (tb, args) => tb.callTool(args.name, args.arguments),
  'registry.getRegistry': (tb) => tb.registry(),
};

function run(tb, command, args) {
  if (OTHERS[command]) return OTHERS[command](tb, args);
  const [method, group] = command.split('.').reverse();
  return group ? tb[group][method](args) : tb[method](args);
}

for (const { command, arguments: args = {}, routing } of JSON.parse(readFileSync(path, 'utf8'))) {
  const tb = new TrailblazeClient({ baseUrl: address, context: routing });
  let outcome;
  try {
    outcome = { value: await run(tb, command, args) };
  } catch (error) {
    if (!(error instanceof TrailblazeError)) throw error;
    const { kind, message, hint, candidates, code, status = null } = error;
    const isAssertion = error instanceof TrailblazeAssertionError;
    outcome = { failure: { isAssertion, kind, message, hint, candidates, code, status } };
  }
  console.log(JSON.stringify(outcome));
}
