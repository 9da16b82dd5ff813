// The toolset with 'trailblaze.tool'. The other two do the same with the official SDKs.
import { ToolError, trailblaze } from "@trailblaze/scripting";
import { delegate, fatalError, missingRequiredArgs } from "@trailblaze/scripting/result";

trailblaze.tool({
  name: "shop_greet",
  description: "Greets somebody.",
  input: { type: "object", properties: { who: { type: "string" } }, required: ["who"] },
  meta: { isForLlm: false, isRecordable: false, supportedPlatforms: ["ANDROID"], groups: ["words"] },
  handler: ({ who }) => `Hello ${who}`,
});

/** What a library such as zod makes, by hand: this file needs no packages. */
interface Order {
  code: string;
  count?: number;
}
const order = {
  "~standard": {
    version: 1 as const,
    vendor: "shop",
    types: undefined as { input: Order; output: Order } | undefined,
    jsonSchema: {
      input: () => ({
        type: "object",
        properties: { code: { type: "string" }, count: { type: "integer", minimum: 1 } },
        required: ["code"],
      }),
    },
    validate: (value: unknown) => {
      const { code } = value as Order;
      if (code.startsWith("P-")) return { value };
      return { issues: [{ path: ["code"], message: "a code begins with P-" }] };
    },
  },
};

trailblaze.tool({
  name: "shop_order",
  description: "Orders something.",
  input: order,
  handler: ({ code, count = 1 }) => ({ code, count }),
});

function tooFar(): never {
  throw new RangeError("too far"); // here it is thrown
}

trailblaze.tool({ name: "shop_throws", description: "Throws.", handler: () => tooFar() });
trailblaze.tool({ name: "shop_fatal", description: "Ends it all.", handler: () => fatalError("the shop is closed") });
trailblaze.tool({
  name: "shop_missing",
  description: "Misses something.",
  handler: () => missingRequiredArgs(["email", "pin"]),
});

trailblaze.tool({
  name: "shop_envelope",
  description: "Says what it was told besides its arguments.",
  handler: (_args, { runtime, memory, device, sessionId, invocationId }) => ({
    runtime,
    memory,
    platform: device?.platform,
    driver: device?.driverType,
    width: device?.widthPixels,
    known: typeof sessionId === "string" && typeof invocationId === "string",
  }),
});

trailblaze.tool({
  name: "shop_hostOnly",
  description: "Cannot be done on a phone.",
  meta: { requiresHost: true },
  handler: (_args, { runtime }) => `on the ${runtime}`,
});

trailblaze.tool({
  name: "shop_signIn",
  description: "Signs in and says who is welcome.",
  input: { type: "object", properties: { user: { type: "string" } }, required: ["user"] },
  handler: async ({ user }, { client }) => {
    await client.tap({ id: "user" });
    await client.inputText(user);
    await client.tap({ text: "Sign in" });
    if (!(await client.isVisible(`Welcome ${user}`))) return fatalError("nobody is welcome");
    return `${await client.getElementText("welcome")}`;
  },
});

trailblaze.tool({
  name: "shop_ask",
  description: "Calls another tool and says what came of it.",
  input: {
    type: "object",
    properties: { tool: { type: "string" }, args: { type: "object" } },
    required: ["tool"],
  },
  handler: async ({ tool, args }, { client }) => {
    try {
      const { text, structured } = await client.callTool(tool, args ?? {});
      return { text, structured: structured ?? null };
    } catch (failure) {
      if (!(failure instanceof ToolError)) throw failure;
      return { kind: failure.kind, message: failure.message };
    }
  },
});

trailblaze.tool({
  name: "shop_delegate",
  description: "Leaves the work to another tool.",
  meta: { isDelegating: true },
  handler: () => delegate([{ tool: "tap", args: { text: "Sign in" } }]),
});
