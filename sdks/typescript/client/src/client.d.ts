import type { JsonObject, JsonValue } from '@bufbuild/protobuf';

import type { ActionResult, Device, GetDesktopStatusResponse, ScreenState, ShellResult } from './v1.js';
import type { TrailblazeToolRegistry } from './v1.js';

export type Platform = 'android' | 'ios' | 'web' | 'desktop' | (string & {});
export type Direction = 'UP' | 'DOWN' | 'LEFT' | 'RIGHT';
export type LaunchMode = 'REINSTALL' | 'RESUME' | 'FORCE_RESTART';
export type KeyCode = 'BACK' | 'ENTER' | 'HOME' | 'BACKSPACE' | 'TAB' | 'ESCAPE';
export type Orientation = 'PORTRAIT' | 'LANDSCAPE_LEFT' | 'LANDSCAPE_RIGHT' | 'UPSIDE_DOWN';

/** How calls are made. */
export interface CallOptions {
  /** Where the server is, such as `localhost:52525`; by default what the context or the environment says. */
  baseUrl?: string;
  /** What the server wants to see; by default `TRAILBLAZE_RPC_TOKEN` of the environment, on this machine only. */
  token?: string;
  /** How long one call may take. The device stops when the time is over. */
  timeoutMs?: number;
  /** Stops what is under way; by default the one of the tool call. */
  signal?: AbortSignal;
}

export interface ClientOptions extends CallOptions {
  /** What came with the tool call: its `_meta`, the `trailblaze` in there, or the `_trailblaze` of old. */
  context?: object;
}

/** An element by its whole text (or a regular expression for it), or by its resource id. */
export interface TextOrId {
  text?: string;
  id?: string;
}

export interface TapOptions extends TextOrId {
  /** Which one of several, from the top, beginning with 0. */
  index?: number;
  /** Pixels from the left, with `y` and instead of an element. */
  x?: number;
  /** Pixels from the top. */
  y?: number;
  /** Press long instead of tapping. */
  longPress?: boolean;
  /** An element of the last snapshot. */
  ref?: string;
}

export interface AssertOptions extends TextOrId {
  /** How long it is waited for; 5000 when left out. */
  timeoutMs?: number;
  index?: number;
  /** The text that the element must have. */
  expectedText?: string;
  ref?: string;
}

export interface AbsenceOptions {
  id?: string;
  index?: number;
  enabled?: boolean;
  selected?: boolean;
}

export interface ScrollUntilOptions {
  /** A part of the text of the element. */
  text?: string;
  textRegex?: string;
  id?: string;
  index?: number;
  direction?: Direction;
  /** How much of the element must be shown, in percent. */
  visibilityPercentage?: number;
  centerElement?: boolean;
  scrollStartPosition?: 'CENTER' | 'TOP' | 'BOTTOM';
}

/** What a tool gave back. */
export interface ToolResult {
  text: string;
  structured: JsonValue | undefined;
}

/** What the session remembers. Secrets are `***`. */
export interface Memory {
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<void>;
  all(): Promise<{ [key: string]: string }>;
}

/**
 * The device of a tool call, from the server that implements the tool.
 *
 * Actions and assertions reject with a {@link TrailblazeError} when they fail, assertions whose condition was not met with a
 * {@link TrailblazeAssertionError}. Queries give their value and do not reject because something is not there.
 */
export declare class TrailblazeClient {
  /** Without a context: works while there is one device. */
  constructor(address?: string, options?: CallOptions);
  constructor(options: ClientOptions);

  /** For the second parameter of a tool's handler, in both generations of the official MCP SDK. */
  static fromContext(context: object | undefined, options?: CallOptions): TrailblazeClient;

  /** What the device is; null without a context. */
  readonly platform: Platform | null;
  /** What phones can do besides; null where the device is none. */
  readonly maestro: MaestroCommands | null;
  /** What browsers can do besides; null where the device is none. */
  readonly playwright: PlaywrightCommands | null;
  /** Declared for desktops; null where the device is none. */
  readonly desktop: DesktopCommands | null;
  readonly memory: Memory;
  /** Not there: Trailblaze lends its model to no tool. Reading it throws. */
  get sampling(): never;

  // Actions

  /** Taps an element, or a point of the screen. */
  tap(x: number, y: number, options?: Pick<TapOptions, 'longPress'>): Promise<ActionResult>;
  tap(text: string, options?: TapOptions): Promise<ActionResult>;
  tap(options: TapOptions): Promise<ActionResult>;
  /** Types into the focused field, and hides the keyboard unless told otherwise. */
  inputText(text: string, options?: { hideKeyboardAfter?: boolean }): Promise<ActionResult>;
  inputText(options: { text: string; hideKeyboardAfter?: boolean }): Promise<ActionResult>;
  /** Erases from the end of the focused field; without a number all of it. */
  eraseText(charactersToErase?: number | { charactersToErase?: number }): Promise<ActionResult>;
  clearText(): Promise<ActionResult>;
  hideKeyboard(): Promise<ActionResult>;
  pressKey(keyCode: KeyCode | { keyCode: KeyCode }): Promise<ActionResult>;
  /** Starts an app, with its data cleared unless the mode says otherwise, and waits until it is in front. */
  launchApp(packageId: string, options?: { launchMode?: LaunchMode }): Promise<ActionResult>;
  launchApp(options: { packageId: string; launchMode?: LaunchMode }): Promise<ActionResult>;
  stopApp(packageId: string | { packageId: string }): Promise<ActionResult>;
  clearAppData(packageId: string | { packageId: string }): Promise<ActionResult>;
  openUrl(url: string | { url: string }): Promise<ActionResult>;
  /** Waits until the screen is still, and not longer than these seconds. */
  wait(timeToWaitInSeconds?: number | { timeToWaitInSeconds?: number }): Promise<ActionResult>;

  // Queries

  /** Whether an element is visible, now or within the time. */
  isVisible(text: string, options?: { timeoutMs?: number }): Promise<boolean>;
  isVisible(options: TextOrId & { timeoutMs?: number }): Promise<boolean>;
  /** Whether a text stands anywhere on the screen. */
  hasText(text: string | { text: string }): Promise<boolean>;
  /** The text of an element; null when it is not there. */
  getElementText(id: string | { id: string }): Promise<string | null>;
  getElementCount(text: string | TextOrId): Promise<number>;
  /** What is on the screen, captured now. */
  captureScreen(): Promise<ScreenState>;
  /** A picture of the screen, a PNG. */
  screenshot(options?: { pieceBytes?: number }): Promise<Uint8Array>;

  // Assertions

  /** Waits for an element that must be visible. */
  assertVisible(text: string, options?: AssertOptions): Promise<ActionResult>;
  assertVisible(options: AssertOptions): Promise<ActionResult>;
  /** No element with this text may be visible; one that is may still disappear. */
  assertNotVisibleWithText(text: string, options?: AbsenceOptions): Promise<ActionResult>;
  assertNotVisibleWithText(options: AbsenceOptions & { text: string }): Promise<ActionResult>;
  waitUntilVisible(text: string, timeoutMs: number | { timeoutMs: number }): Promise<ActionResult>;
  waitUntilVisible(options: { text: string; timeoutMs: number }): Promise<ActionResult>;

  // The rest

  /** Runs any tool of the session by its name. */
  callTool(name: string, args?: JsonObject): Promise<ToolResult>;
  /** The devices that the server drives; of a tool call, its own. */
  listDevices(): Promise<Device[]>;
  /** All tools of the session, with their flags and groups. */
  registry(): Promise<TrailblazeToolRegistry>;
}

/** What phones can do besides. */
export declare class MaestroCommands {
  private constructor();
  /** Runs a line of shell on the device; what it printed is the `output`. */
  adbShell(command: string | { command: string }): Promise<ShellResult>;
  grantPermission(packageId: string, permission: string): Promise<ActionResult>;
  grantPermission(options: { packageId: string; permission: string }): Promise<ActionResult>;
  pressBack(): Promise<ActionResult>;
  pressHome(): Promise<ActionResult>;
  /** The direction is the way of the finger. */
  swipe(direction?: Direction, durationMs?: number): Promise<ActionResult>;
  swipe(options: { direction?: Direction; durationMs?: number; swipeOnElementText?: string }): Promise<ActionResult>;
  /** The direction is where the content goes on. */
  scroll(direction?: Direction, amount?: number): Promise<ActionResult>;
  scroll(options: { direction?: Direction; amount?: number }): Promise<ActionResult>;
  scrollUntilTextIsVisible(text: string, options?: ScrollUntilOptions): Promise<ActionResult>;
  scrollUntilTextIsVisible(options: ScrollUntilOptions): Promise<ActionResult>;
  /** Above 1 the fingers move apart, below 1 together. */
  pinch(scale: number, options?: TextOrId): Promise<ActionResult>;
  pinch(options: TextOrId & { scale: number }): Promise<ActionResult>;
  /** Turns the device. It is turned back after the trail. */
  setOrientation(orientation: Orientation | { orientation: Orientation }): Promise<ActionResult>;
  setLocation(latitude: number, longitude: number): Promise<ActionResult>;
  setLocation(options: { latitude: number; longitude: number }): Promise<ActionResult>;
  networkConnection(connected: boolean | { connected: boolean }): Promise<ActionResult>;
  setClipboard(text: string | { text: string }): Promise<ActionResult>;
  pasteClipboard(): Promise<ActionResult>;
}

/** What browsers can do besides. Elements are named by CSS selectors. */
export declare class PlaywrightCommands {
  private constructor();
  navigate(url: string | { url: string }): Promise<ActionResult>;
  click(selector: string | { selector: string }): Promise<ActionResult>;
  /** Replaces the text of a field. */
  fill(selector: string, value: string): Promise<ActionResult>;
  fill(options: { selector: string; value: string }): Promise<ActionResult>;
  waitForSelector(selector: string, timeoutMs?: number): Promise<ActionResult>;
  waitForSelector(options: { selector: string; timeoutMs?: number }): Promise<ActionResult>;
  /** Runs JavaScript in the page and gives its value. */
  evaluateJs(script: string | { script: string }): Promise<JsonValue>;
}

/** Declared for desktop apps, which no version drives yet. */
export declare class DesktopCommands {
  private constructor();
  getDesktopStatus(): Promise<GetDesktopStatusResponse>;
}
