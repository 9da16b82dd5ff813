// Makes a client in every way there is and asks one thing with each: `node shapes.mjs ADDRESS`.

import { TrailblazeClient, TrailblazeError } from '@trailblaze/client';

const [, , address] = process.argv;
const baseUrl = `http://${address}`;
const trailblaze = { baseUrl, sessionId: 'session-1', invocationId: 'inv-1', device: { id: 'd1', platform: 'android' } };
const meta = { trailblazeInvocationId: 'inv-1', trailblaze };
const old = { deviceId: 'd1', sessionId: 'session-1', platform: 'android' };

await TrailblazeClient.fromContext({ _meta: meta }).hasText('context');
await TrailblazeClient.fromContext({ mcpReq: { _meta: meta } }).hasText('context');
await new TrailblazeClient({ context: meta }).hasText('context');
await new TrailblazeClient({ context: trailblaze }).hasText('context');
await new TrailblazeClient({ context: old, baseUrl: address }).hasText('old');
await new TrailblazeClient(address).hasText('global');
await new TrailblazeClient(`HTTP://${address}`).hasText('global');
await new TrailblazeClient(address, { token: 'mine', timeoutMs: 1499.5 }).hasText('options');
process.env.TRAILBLAZE_RPC_TOKEN = 'ours';
await new TrailblazeClient(address).hasText('environment');
process.env.TRAILBLAZE_CALLBACK_URL = `${baseUrl}/scripting/callback`;
await new TrailblazeClient().hasText('callback');
const { signal } = new AbortController();
await TrailblazeClient.fromContext({ signal, sessionId: 'of MCP' }).hasText('nothing');

const tb = TrailblazeClient.fromContext({ _meta: meta });
await tb.tap(100, 200);
await tb.tap({ text: 'Sign in', index: 1 });
await tb.maestro.swipe('UP', 300);
await tb.callTool('shop_order', { count: 2, tags: ['a', null] });

const said = { groups: ['maestro', 'playwright', 'desktop'].filter((name) => tb[name]), platform: tb.platform };
try {
  tb.sampling;
} catch (error) {
  said.sampling = error.message;
}
try {
  await new TrailblazeClient('127.0.0.1:9').isVisible('anybody');
} catch (error) {
  said.gone = error instanceof TrailblazeError && [error.kind, error.message];
}
console.log(JSON.stringify(said));
