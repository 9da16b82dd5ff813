export { StdioServerTransport } from './mcp-stdio.js';

/** The function of the same name in the official SDK, over the Trailblaze engine. */
export declare function serveStdio(factory: (...context: any[]) => any, options?: object): { close(): Promise<void> };
