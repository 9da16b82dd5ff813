// Checked by tsc and never run: what the types accept, infer and refuse.

import { TrailblazeClient, client, tool, trailblaze } from '@trailblaze/scripting';
import type {
  ArgumentsOf,
  FromSchema,
  ToolContext,
  ToolResult,
  TrailblazeContext,
  TrailblazeMeta,
  TrailblazeTool,
  TrailblazeToolMeta,
} from '@trailblaze/scripting';
import { delegate, error, fatalError, missingRequiredArgs, success } from '@trailblaze/scripting/result';

// As `trailblaze typegen` writes it.
declare module '@trailblaze/scripting' {
  interface TrailblazeTools {
    shop_login: { email: string; pin?: number };
    shop_logout: { everywhere?: boolean };
  }
}

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(..._: T[]) => {};

trailblaze.tool({
  name: 'order',
  description: 'Orders things',
  input: {
    type: 'object',
    properties: {
      what: { type: 'string', description: 'The thing' },
      count: { type: 'integer', minimum: 1 },
      size: { enum: ['S', 'M', 'L'] },
      tags: { type: 'array', items: { type: 'string' } },
      to: {
        type: 'object',
        properties: { street: { type: 'string' }, door: { type: ['number', 'null'] } },
        required: ['street'],
      },
      by: { anyOf: [{ type: 'string' }, { const: 7 }] },
      anything: {},
    },
    required: ['what', 'size'],
    additionalProperties: false,
  },
  meta: { isForLlm: true, requiresHost: false, supportedPlatforms: ['ANDROID'], groups: ['shop'] },
  annotations: { readOnlyHint: false },
  async handler(args, context) {
    holds<
      Same<
        typeof args,
        {
          what: string;
          size: 'S' | 'M' | 'L';
          count?: number;
          tags?: string[];
          to?: { street: string; door?: number | null };
          by?: string | 7;
          anything?: unknown;
        }
      >
    >();
    // @ts-expect-error there is no such argument
    args.colour;
    holds<Same<typeof context, ToolContext>>();
    await context.client.tap({ text: args.what, index: 0 });
    await context.client.tap(1, 2);
    const seen: boolean = await context.client.isVisible('Thanks', { timeoutMs: 100 });
    const title: string | null = await context.client.getElementText('title');
    const rows: number = await context.client.getElementCount({ id: 'row' });
    const platform = context.device?.platform ?? 'android';
    return { seen, title, rows, platform, user: context.memory?.user };
  },
});

// What zod 4 makes, reduced to what its types say.
declare const schema: {
  '~standard': {
    version: 1;
    vendor: string;
    validate: (value: unknown) => unknown;
    types?: { input: { n: string }; output: { n: number } } | undefined;
  };
};
tool({ name: 'n', description: 'Takes a number', input: schema, handler: ({ n }) => n.toFixed(1) });
holds<Same<ArgumentsOf<typeof schema>, { n: number }>>();

tool({ name: 'bare', description: 'Takes nothing', handler: () => {} });
// @ts-expect-error a handler is needed
tool({ name: 'none', description: 'Does nothing' });
// @ts-expect-error flags have their types
tool({ name: 'flag', description: 'Wrong flag', meta: { isForLlm: 'yes' }, handler: () => {} });
// @ts-expect-error unknown flags are refused
tool({ name: 'flag', description: 'Unknown flag', meta: { isForLLM: true }, handler: () => {} });

holds<Same<FromSchema<{ type: 'object'; additionalProperties: { type: 'number' } }>, { [name: string]: number }>>();

async function calls(): Promise<void> {
  const result: ToolResult = await client.tools.shop_login({ email: 'a@example.com' });
  await client.tools.shop_logout();
  await client.callTool('shop_login', { email: 'a@example.com', pin: 1 });
  await client.callTool('some_other', { any: 1 });
  await client.callTool(String(Math.random()), { any: 1 });
  // @ts-expect-error it is a number
  await client.callTool('shop_login', { email: 'a@example.com', pin: 'one' });
  // @ts-expect-error an argument is missing
  await client.tools.shop_login({});
  // @ts-expect-error no such tool in the workspace
  await client.tools.shop_signin({});
  // @ts-expect-error there is no such key
  await client.pressKey('ANY');
  result.text satisfies string;
  TrailblazeClient.fromContext({ _meta: {} });
  TrailblazeClient.fromContext({ mcpReq: { _meta: {} } });
}
void calls;

const results = [success('done', { n: 1 }), error('no'), fatalError('never'), missingRequiredArgs(['a'])];
results[0]?.content;
delegate([{ tool: 'tap', args: { text: 'Pay' } }]);

// The wire types, for servers that are made with another SDK.
({ 'trailblaze/isForLlm': false, 'trailblaze/supportedDrivers': ['ios-host'] }) satisfies TrailblazeToolMeta;
// @ts-expect-error misspelt
({ 'trailblaze/isForLLM': false }) satisfies TrailblazeToolMeta;
declare const listed: TrailblazeTool;
listed._meta?.['trailblaze/toolset'] satisfies string | undefined;
declare const argument: TrailblazeContext;
argument.device.platform satisfies string;
declare const meta: TrailblazeMeta;
meta.baseUrl satisfies string | undefined;
