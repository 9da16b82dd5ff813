// The toolset on the first generation of the official SDK, as an author writes it.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { ToolError, TrailblazeClient, type TrailblazeMeta } from "@trailblaze/scripting";
import { delegate, fatalError, missingRequiredArgs, success } from "@trailblaze/scripting/result";
import * as z from "zod/v4";

const server = new McpServer({ name: "shop", version: "1.0.0" });
const structured = (value: Record<string, unknown>) => success(JSON.stringify(value), value);

server.registerTool(
  "shop_greet",
  {
    description: "Greets somebody.",
    inputSchema: { who: z.string() },
    _meta: {
      "trailblaze/isForLlm": false,
      "trailblaze/isRecordable": false,
      "trailblaze/supportedPlatforms": ["ANDROID"],
      "trailblaze/groups": ["words"],
    },
  },
  ({ who }) => success(`Hello ${who}`),
);

const code = z.string().refine((code) => code.startsWith("P-"), "a code begins with P-");
server.registerTool(
  "shop_order",
  { description: "Orders something.", inputSchema: { code, count: z.int().min(1).optional() } },
  ({ code, count = 1 }) => structured({ code, count }),
);

function tooFar(): never {
  throw new RangeError("too far"); // here it is thrown
}

server.registerTool("shop_throws", { description: "Throws." }, () => tooFar());
server.registerTool("shop_fatal", { description: "Ends it all." }, () => fatalError("the shop is closed"));
server.registerTool("shop_missing", { description: "Misses something." }, () => missingRequiredArgs(["email", "pin"]));

server.registerTool(
  "shop_envelope",
  { description: "Says what it was told besides its arguments.", inputSchema: {} },
  (_args, extra) => {
    const meta = extra._meta?.trailblaze as TrailblazeMeta | undefined;
    return structured({
      runtime: meta?.runtime,
      memory: meta?.memory,
      platform: meta?.device?.platform,
      driver: meta?.device?.driverType,
      width: meta?.device?.widthPixels,
      known: typeof meta?.sessionId === "string" && typeof meta.invocationId === "string",
    });
  },
);

server.registerTool(
  "shop_argument",
  { description: "Says what joined its arguments.", inputSchema: z.looseObject({}) },
  (args) => structured({ context: args._trailblazeContext }),
);

server.registerTool(
  "shop_hostOnly",
  { description: "Cannot be done on a phone.", inputSchema: {}, _meta: { "trailblaze/requiresHost": true } },
  (_args, extra) => success(`on the ${(extra._meta?.trailblaze as TrailblazeMeta | undefined)?.runtime}`),
);

server.registerTool(
  "shop_signIn",
  { description: "Signs in and says who is welcome.", inputSchema: { user: z.string() } },
  async ({ user }, extra) => {
    const client = TrailblazeClient.fromContext(extra);
    await client.tap({ id: "user" });
    await client.inputText(user);
    await client.tap({ text: "Sign in" });
    if (!(await client.isVisible(`Welcome ${user}`))) return fatalError("nobody is welcome");
    return success(`${await client.getElementText("welcome")}`);
  },
);

server.registerTool(
  "shop_ask",
  {
    description: "Calls another tool and says what came of it.",
    inputSchema: { tool: z.string(), args: z.record(z.string(), z.unknown()).optional() },
  },
  async ({ tool, args }, extra) => {
    try {
      const { text, structured: data } = await TrailblazeClient.fromContext(extra).callTool(tool, args ?? {});
      return structured({ text, structured: data ?? null });
    } catch (failure) {
      if (!(failure instanceof ToolError)) throw failure;
      return structured({ kind: failure.kind, message: failure.message });
    }
  },
);

server.registerTool(
  "shop_delegate",
  { description: "Leaves the work to another tool.", _meta: { "trailblaze/isDelegating": true } },
  () => delegate([{ tool: "tap", args: { text: "Sign in" } }]),
);

await server.connect(new StdioServerTransport());
