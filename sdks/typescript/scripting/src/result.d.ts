/** The result of a tool in the shape of MCP. */
export interface CallToolResult {
  content: Content[];
  isError?: boolean;
  structuredContent?: { [key: string]: unknown };
  _meta?: { trailblaze?: ResultMeta; [key: string]: unknown };
  [key: string]: unknown;
}

export interface TextContent {
  type: 'text';
  text: string;
}

export type Content =
  | TextContent
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource_link'; uri: string; name: string }
  | { type: 'resource'; resource: { uri: string; mimeType?: string } & ({ text: string } | { blob: string }) };

/** How a result ended, beyond success and failure. */
export type ResultVariant =
  | 'Success'
  | 'ExceptionThrown'
  | 'MissingRequiredArgs'
  | 'MaestroValidationError'
  | 'UnknownTool'
  | 'FatalError';

/** What stands in `_meta.trailblaze` of a result. */
export interface ResultMeta {
  variant: ResultVariant;
  /** Where it was thrown. */
  stack?: string;
  kind?: string;
  hint?: string;
  /** The names of the arguments that are missing. */
  missing?: string[];
}

export interface SuccessResult extends CallToolResult {
  content: TextContent[];
  isError: false;
}

export interface FailureResult<Variant extends ResultVariant = ResultVariant> extends CallToolResult {
  content: TextContent[];
  isError: true;
  _meta: { trailblaze: ResultMeta & { variant: Variant } };
}

/** A call that is run and recorded in place of the tool that returns it. */
export interface Delegate {
  tool: string;
  args?: { [name: string]: unknown };
}

/** The tool did its work. */
export declare function success(text?: string, structured?: { [key: string]: unknown }): SuccessResult;
/** The tool failed; the step fails with this message. */
export declare function error(text: string): FailureResult<'ExceptionThrown'>;
/** The tool failed in a way that makes the rest of the trail pointless: the trail ends. */
export declare function fatalError(text: string): FailureResult<'FatalError'>;
/** Arguments are missing that the tool cannot do without: their names, or a text of your own. */
export declare function missingRequiredArgs(missing: readonly string[] | string): FailureResult<'MissingRequiredArgs'>;
/** Calls that are run and recorded instead of this one. */
export declare function delegate(calls: readonly Delegate[]): SuccessResult;
