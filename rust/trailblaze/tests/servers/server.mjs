// The same toolset as any MCP server has it: flags in `_meta`, the context in the arguments.

import { serve, text } from "./mcp.mjs";

const tool = (name, flags, handler) => {
  const _meta = Object.fromEntries(Object.entries(flags).map(([flag, value]) => [`trailblaze/${flag}`, value]));
  return { name, _meta, handler: (args) => text(handler(args)) };
};

serve([
  tool("lab_tierOne", {}, ({ query }) => `found ${query}`),
  tool("lab_tierTwo", {}, ({ _trailblazeContext: { device, memory } }) => `${device.platform} ${memory.x}`),
  tool("lab_forOneDriver", { supportedDrivers: ["android-ondevice-accessibility"] }, () => "one driver"),
  tool("lab_forHosts", { requiresHost: true }, () => "host"),
  tool("lab_pushed", { toolset: "otherToolset" }, () => "pushed"),
]);
