import type { ToolContext, TrailblazeTools } from './index.js';

/** What a call gave back. */
export interface ToolResult<Structured = unknown> {
  text: string;
  structured: Structured | undefined;
}

/** A call that failed. */
export declare class ToolError extends Error {
  name: 'ToolError';
  constructor(message: string, details?: { tool?: string; kind?: FailureKind; hint?: string });
  /** The tool that was called. */
  tool: string | undefined;
  kind: FailureKind | undefined;
  /** What to do about it. */
  hint: string | undefined;
}

/** Why a call failed. Newer engines may know more kinds. */
export type FailureKind =
  | 'NotFound'
  | 'Ambiguous'
  | 'AssertionFailed'
  | 'Timeout'
  | 'MissingRequiredArgs'
  | 'InvalidArguments'
  | 'MaestroValidation'
  | 'UnknownTool'
  | 'NotSupported'
  | 'NeedsModel'
  | 'Device'
  | 'Refused'
  | 'App'
  | 'NotRecorded'
  | 'Script'
  | 'Toolset'
  | 'TooDeep'
  | 'Exception'
  | 'Fatal'
  | 'Interrupted'
  | (string & {});

/** An element by its whole text (or a regular expression for it), or by its resource id. */
export interface TextOrId {
  text?: string;
  id?: string;
}

export interface TapOptions extends TextOrId {
  /** Which one of several, from the top, beginning with 0. */
  index?: number;
  /** Pixels from the left. */
  x?: number;
  /** Pixels from the top. */
  y?: number;
  /** An element of the last snapshot. */
  ref?: string;
}

/** A selector as in trails, for example `{ androidAccessibility: { textRegex: 'Done' } }`. */
export type NodeSelector = { [key: string]: unknown };

export type Direction = 'UP' | 'DOWN' | 'LEFT' | 'RIGHT';

export interface Screen {
  /** The texts on the screen, one per line. */
  text: string;
  width: number;
  height: number;
  nodes: ScreenNode[];
}

export interface ScreenNode {
  text: string | null;
  id: string | null;
  bounds: [left: number, top: number, right: number, bottom: number] | null;
}

type Arguments = { [name: string]: unknown };
type OptionalIfEmpty<Args> = {} extends Args ? [args?: Args] : [args: Args];

/** Every tool as a function: typed once `trailblaze typegen` has written `TrailblazeTools`, open before. */
export type ToolCalls = [keyof TrailblazeTools] extends [never]
  ? { readonly [name: string]: (args?: Arguments) => Promise<ToolResult> }
  : { readonly [Name in keyof TrailblazeTools]: ToolCall<TrailblazeTools[Name]> };

export type ToolCall<Args> = (...args: OptionalIfEmpty<Args>) => Promise<ToolResult>;

/** Calls other tools. A failed call rejects with a `ToolError`. */
export declare class TrailblazeClient {
  /** Without an envelope, the client serves whatever tool call is under way. */
  constructor(meta?: { baseUrl?: string; sessionId?: string; invocationId?: string });

  /** For the second parameter of a handler: of ours, and of both generations of the official SDK. */
  static fromContext(context: ToolContext | object | undefined): TrailblazeClient;

  readonly tools: ToolCalls;

  callTool<Name extends keyof TrailblazeTools & string>(
    name: Name,
    ...args: OptionalIfEmpty<TrailblazeTools[Name]>
  ): Promise<ToolResult>;
  /** A name that `TrailblazeTools` does not have, or that is known only when the program runs. */
  callTool<Name extends string>(
    name: Name extends keyof TrailblazeTools ? never : Name,
    args?: Arguments,
  ): Promise<ToolResult>;

  tap(text: string, options?: TapOptions): Promise<ToolResult>;
  tap(x: number, y: number): Promise<ToolResult>;
  tap(options: TapOptions & { longPress?: boolean }): Promise<ToolResult>;
  longPress(text: string, options?: TapOptions): Promise<ToolResult>;
  longPress(x: number, y: number): Promise<ToolResult>;
  longPress(options: TapOptions): Promise<ToolResult>;
  inputText(text: string, options?: { hideKeyboardAfter?: boolean }): Promise<ToolResult>;
  inputText(options: { text: string; hideKeyboardAfter?: boolean }): Promise<ToolResult>;
  /** Without a number, the whole field. */
  eraseText(charactersToErase?: number | null): Promise<ToolResult>;
  eraseText(options: { charactersToErase?: number | null }): Promise<ToolResult>;
  clearText(): Promise<ToolResult>;

  launchApp(appId: string, options?: { launchMode?: LaunchMode }): Promise<ToolResult>;
  launchApp(options: { appId: string; launchMode?: LaunchMode }): Promise<ToolResult>;
  stopApp(app: string | { appId: string }): Promise<ToolResult>;
  clearAppData(app: string | { packageId: string }): Promise<ToolResult>;
  grantPermission(packageId: string, permission: string): Promise<ToolResult>;
  grantPermission(options: { packageId: string; permission: string }): Promise<ToolResult>;

  captureScreen(): Promise<Screen>;
  isVisible(text: string, options?: { timeoutMs?: number }): Promise<boolean>;
  isVisible(options: TextOrId & { timeoutMs?: number }): Promise<boolean>;
  hasText(text: string | { text: string }): Promise<boolean>;
  getElementText(id: string | { id: string }): Promise<string | null>;
  getElementCount(text: string | TextOrId): Promise<number>;

  assertVisible(text: string, options?: AssertOptions): Promise<ToolResult>;
  assertVisible(options: AssertOptions): Promise<ToolResult>;
  waitUntilVisible(text: string, timeoutMs: number): Promise<ToolResult>;
  waitUntilVisible(text: string, options: { timeoutMs: number }): Promise<ToolResult>;
  waitUntilVisible(options: { text: string; timeoutMs: number }): Promise<ToolResult>;
  /** Whether it disappeared in time. */
  waitUntilNotVisible(options: { nodeSelector: NodeSelector; timeoutMs?: number }): Promise<boolean>;
  waitForChange(timeoutMs?: number): Promise<ToolResult>;
  waitForChange(options: { timeoutMs?: number; quietWindowMs?: number; requireChange?: boolean }): Promise<ToolResult>;
  /** Until the screen is still, and not longer than these seconds. */
  wait(timeToWaitInSeconds?: number | { timeToWaitInSeconds: number }): Promise<ToolResult>;

  pressBack(): Promise<ToolResult>;
  pressHome(): Promise<ToolResult>;
  pressKey(keyCode: KeyCode | { keyCode: KeyCode }): Promise<ToolResult>;
  hideKeyboard(): Promise<ToolResult>;
  swipe(direction?: Direction, durationMs?: number): Promise<ToolResult>;
  swipe(options: { direction?: Direction; swipeOnElementText?: string; durationMs?: number }): Promise<ToolResult>;
  scroll(direction?: Direction, amount?: number): Promise<ToolResult>;
  scroll(options: { direction?: Direction; amount?: number }): Promise<ToolResult>;
  scrollUntilTextIsVisible(text: string, options?: ScrollUntilOptions): Promise<ToolResult>;
  scrollUntilTextIsVisible(options: ScrollUntilOptions): Promise<ToolResult>;
  pinch(scale: number, options?: TextOrId): Promise<ToolResult>;
  pinch(options: TextOrId & { scale: number }): Promise<ToolResult>;

  openUrl(url: string | { url: string }): Promise<ToolResult>;
  setClipboard(text: string | { text: string }): Promise<ToolResult>;
  pasteClipboard(): Promise<ToolResult>;
  takeSnapshot(screenName: string, options?: { description?: string }): Promise<ToolResult>;
  takeSnapshot(options: { screenName: string; description?: string }): Promise<ToolResult>;
  /** What the line printed is the text of the result. */
  adbShell(command: string | { command: string }): Promise<ToolResult>;
}

export type LaunchMode = 'REINSTALL' | 'RESUME' | 'FORCE_RESTART';
export type KeyCode = 'BACK' | 'ENTER' | 'HOME' | 'BACKSPACE' | 'TAB' | 'ESCAPE';

export interface AssertOptions extends TextOrId {
  index?: number;
  timeoutMs?: number;
  expectedText?: string;
  ref?: string;
}

export interface ScrollUntilOptions {
  text?: string;
  textRegex?: string;
  id?: string;
  index?: number;
  direction?: Direction;
  visibilityPercentage?: number;
  centerElement?: boolean;
  scrollStartPosition?: 'CENTER' | 'TOP' | 'BOTTOM';
}

/** Serves whatever tool call is under way. */
export declare const client: TrailblazeClient;
