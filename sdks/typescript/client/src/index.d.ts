export * from './client.js';
export * from './error.js';
export type { ActionResult, Bounds, Device, ScreenNode, ScreenState, ShellResult } from './v1.js';
export type { GetDesktopStatusResponse, TrailblazeToolRegistry } from './v1.js';
