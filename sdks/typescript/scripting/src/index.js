// @trailblaze/scripting: tools for Trailblaze in TypeScript.

import { tool } from './tool.js';

export { TrailblazeClient, ToolError, client } from './client.js';
export { VERSION } from './server.js';
export { tool };

export const trailblaze = Object.freeze({ tool });
