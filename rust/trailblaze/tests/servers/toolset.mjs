// The toolset of document 001, with a tool of each kind, as scripts are written. It runs in node and inside of Trailblaze.

import { trailblaze } from "@trailblaze/scripting";

const tool = (name, meta, handler) =>
  trailblaze.tool({ name, description: "For a test.", input: { type: "object" }, meta, handler });

tool("lab_tierOne", {}, ({ query }) => `found ${query}`);

tool("lab_tierTwo", {}, (_args, { device, memory }) => `${device.platform} ${memory.x}`);

tool("lab_forOneDriver", { supportedDrivers: ["android-ondevice-accessibility"] }, () => "one driver");

tool("lab_forHosts", { requiresHost: true }, () => "host");

tool("lab_pushed", { toolset: "otherToolset" }, () => "pushed");
