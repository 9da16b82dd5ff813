// What the types say about the client; checked, not run.

import { TrailblazeAssertionError, TrailblazeClient, TrailblazeError } from '@trailblaze/client';
import type { ActionResult, ScreenState } from '@trailblaze/client';
import { TrailblazeCommands } from '@trailblaze/client/v1';

export async function commands(ctx: { _meta?: { [key: string]: unknown } }): Promise<void> {
  const tb = TrailblazeClient.fromContext(ctx, { timeoutMs: 1000 });
  new TrailblazeClient('localhost:52525', { token: 'secret' });
  new TrailblazeClient({ context: ctx._meta, baseUrl: 'localhost:52525' });

  const result: ActionResult = await tb.tap({ text: 'Sign in' });
  await tb.tap(100, 200);
  await tb.launchApp('com.acme.driver', { launchMode: 'RESUME' });
  const visible: boolean = await tb.isVisible({ text: 'Sign in', timeoutMs: 500 });
  const text: string | null = await tb.getElementText('title');
  const screen: ScreenState = await tb.captureScreen();
  const picture: Uint8Array = await tb.screenshot();
  await tb.waitUntilVisible('Go Online', 10000);
  await tb.maestro?.swipe('UP');
  const { structured } = await tb.callTool('shop_order', { count: 2 });
  const remembered: string | null = await tb.memory.get('who');
  void [result, visible, text, screen.nodes[0]?.bounds?.left, picture, structured, remembered, TrailblazeCommands.methods];

  // @ts-expect-error: a direction is one of four words
  await tb.maestro?.swipe('SIDEWAYS');
  // @ts-expect-error: the group may not be there
  await tb.maestro.pressBack();
  // @ts-expect-error: there is no such option
  await tb.tap({ txt: 'Sign in' });
  // @ts-expect-error: there is no model to ask
  await tb.sampling.createMessage();

  try {
    await tb.assertVisible('Go Online');
  } catch (error) {
    if (error instanceof TrailblazeAssertionError) console.log(error.candidates.join(), error.hint?.length);
    else if (error instanceof TrailblazeError && error.kind === 'UnknownInvocation') console.log(error.code);
  }
}
