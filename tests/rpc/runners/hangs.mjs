// Gives up calls that are never answered, in every way there is: `node hangs.mjs ADDRESS`.

import { TrailblazeClient, TrailblazeError } from '@trailblaze/client';

const [, , address] = process.argv;

async function said(ask) {
  try {
    await ask();
  } catch (error) {
    if (error instanceof TrailblazeError) return [error.kind, error.status, error.message];
    throw error;
  }
}

/** A signal that is given when the call has reached the server. */
const soon = () => AbortSignal.timeout(300);

const late = new TrailblazeClient(address, { timeoutMs: 300 });
const outcomes = {
  timeout: await said(() => late.tap('Sign in')),
  'timeout of a stream': await said(() => late.screenshot()),
  signal: await said(() => new TrailblazeClient(address, { signal: soon() }).tap('Sign in')),
  'signal of a stream': await said(() => new TrailblazeClient(address, { signal: soon() }).screenshot()),
  'signal of a tool call': await said(() => TrailblazeClient.fromContext({ signal: soon() }, { baseUrl: address }).tap('Sign in')),
  'signal before': await said(() => new TrailblazeClient(address, { signal: AbortSignal.abort() }).tap('Sign in')),
  afterwards: await new TrailblazeClient(address).hasText('Sign in'),
};
console.log(JSON.stringify(outcomes));
