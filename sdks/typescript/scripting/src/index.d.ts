import type { TrailblazeClient } from './client.js';
import type { ArgumentsOf, JsonSchema, StandardSchema } from './schema.js';

export * from './client.js';
export type {
  CallToolResult,
  Content,
  Delegate,
  FailureResult,
  ResultMeta,
  ResultVariant,
  SuccessResult,
  TextContent,
} from './result.js';
export type { ArgumentsOf, FromSchema, JsonSchema, StandardSchema } from './schema.js';

/**
 * The arguments of every tool of a workspace by the tool's name. Empty here; `trailblaze typegen` adds to it:
 *
 *     declare module '@trailblaze/scripting' {
 *       interface TrailblazeTools { myapp_login: { email: string } }
 *     }
 */
export interface TrailblazeTools {}

/** `_meta` of a tool on the wire, for servers made with another SDK. */
export interface TrailblazeToolMeta {
  /** Whether a model may choose it. */
  'trailblaze/isForLlm'?: boolean;
  /** Whether calls of it are written into recordings. */
  'trailblaze/isRecordable'?: boolean;
  /** Whether it needs a computer beside the phone; such tools are left out on the device. */
  'trailblaze/requiresHost'?: boolean;
  /** The only drivers it works with, by their keys. */
  'trailblaze/supportedDrivers'?: readonly string[];
  /** The only platforms it works on. */
  'trailblaze/supportedPlatforms'?: readonly ('ANDROID' | 'IOS' | 'WEB' | (string & {}))[];
  /** The toolset that it joins. */
  'trailblaze/toolset'?: string;
  /** Whether it is of no use to other MCP clients. */
  'trailblaze/requiresContext'?: boolean;
  /** Whether it returns calls for others to make and acts by nothing else. */
  'trailblaze/isDelegating'?: boolean;
  /** Whether a `verify` step may use it. */
  'trailblaze/isVerification'?: boolean;
  /** Groups that toolsets can name. */
  'trailblaze/groups'?: readonly string[];
}

/** The same flags without their prefix, as `trailblaze.tool` takes them. */
export type ToolFlags = {
  [Key in keyof TrailblazeToolMeta as Key extends `trailblaze/${infer Name}` ? Name : never]?: TrailblazeToolMeta[Key];
};

export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** A tool as `tools/list` shows it. */
export interface TrailblazeTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
  readonly annotations?: ToolAnnotations;
  readonly _meta?: TrailblazeToolMeta;
}

export type Memory = { [name: string]: unknown };

export interface TrailblazeDevice {
  id?: string;
  platform: 'android' | 'ios' | 'web' | (string & {});
  widthPixels: number;
  heightPixels: number;
  driverType: string;
}

/** `_meta.trailblaze` of a call. */
export interface TrailblazeMeta {
  /** Where to call back; there is none in QuickJS. */
  baseUrl?: string;
  sessionId: string;
  invocationId: string;
  device: TrailblazeDevice;
  memory: Memory;
  capabilities?: { sampling?: boolean };
  runtime?: 'host' | 'ondevice';
}

/** The reserved argument `_trailblazeContext`, for handlers made with another SDK. */
export interface TrailblazeContext {
  memory: Memory;
  device: {
    platform: 'ANDROID' | 'IOS' | 'WEB' | (string & {});
    widthPixels: number;
    heightPixels: number;
    driverType: string;
  };
}

/** The second parameter of a handler. All but `client` is undefined when another MCP client calls. */
export interface ToolContext {
  /** Calls other tools as part of this call. */
  client: TrailblazeClient;
  memory: Memory | undefined;
  device: TrailblazeDevice | undefined;
  sessionId: string | undefined;
  invocationId: string | undefined;
  runtime: 'host' | 'ondevice' | undefined;
  /** Aborted when the call is cancelled, where the runtime has `AbortController`. */
  signal: AbortSignal | undefined;
  /** All of the envelope. */
  meta: TrailblazeMeta | undefined;
}

/** Nothing, a text, any JSON value, or what the helpers of `@trailblaze/scripting/result` make. */
export type ToolOutput = void | undefined | null | string | number | boolean | object;

export interface ToolDefinition<Input extends JsonSchema | StandardSchema = JsonSchema> {
  /** Unique among all tools of a session, such as `myapp_login`. */
  name: string;
  description: string;
  /** A JSON Schema for an object, or a schema object of zod and its like. Leave it out for a tool without arguments. */
  input?: Input;
  meta?: ToolFlags;
  annotations?: ToolAnnotations;
  handler: (args: ArgumentsOf<Input>, context: ToolContext) => ToolOutput | Promise<ToolOutput>;
}

/** Defines a tool and serves it. Call it while the program loads. */
export declare function tool<const Input extends JsonSchema | StandardSchema = JsonSchema>(
  definition: ToolDefinition<Input>,
): TrailblazeTool;

export declare const trailblaze: { readonly tool: typeof tool };

/** The version of this package. */
export declare const VERSION: string;
