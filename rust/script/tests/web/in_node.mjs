// Runs the cases in Node, to see that they ask for what is usual. `node in_node.mjs`
import { run } from './check.js';

let wrong = 0;
for (const file of ['clone', 'events', 'url', 'text', 'fetch', 'tampering']) {
  const { cases } = await import(`./${file}.js`);
  const { count, failed } = await run(cases);
  wrong += failed.length;
  console.log(`${file}: ${count - failed.length} of ${count}`);
  for (const line of failed) console.log(`  ${line.split('\n')[0]}`);
}
process.exitCode = wrong ? 1 : 0;
