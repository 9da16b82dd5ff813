export { DesktopCommands, MaestroCommands, PlaywrightCommands, TrailblazeClient } from './client.js';
export { TrailblazeAssertionError, TrailblazeError } from './error.js';
