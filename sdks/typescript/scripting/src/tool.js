// `trailblaze.tool(...)`: checks a definition while its place in the source is still on the stack.

import { readInput } from './schema.js';
import { Server } from './server.js';

const server = new Server();

const flag = { of: 'true or false', fits: (value) => typeof value === 'boolean' };
const text = { of: 'a text', fits: (value) => typeof value === 'string' && value !== '' };
const list = { of: 'a list of texts', fits: (value) => Array.isArray(value) && value.every(text.fits) };

const META = {
  isForLlm: flag,
  isRecordable: flag,
  requiresHost: flag,
  supportedDrivers: list,
  supportedPlatforms: list,
  toolset: text,
  requiresContext: flag,
  isDelegating: flag,
  isVerification: flag,
  groups: list,
};

const PARTS = ['name', 'description', 'input', 'meta', 'annotations', 'handler'];

/** Defines a tool and serves it. Gives its descriptor, as `tools/list` shows it. */
export function tool(definition) {
  const { name, description, input, meta = {}, annotations, handler } = definition ?? {};
  if (!text.fits(name)) throw new TypeError('a tool needs a name');
  known(`tool '${name}'`, definition, PARTS);
  expect(name, 'description', description, text);
  expect(name, 'handler', handler, { of: 'a function', fits: (value) => typeof value === 'function' });
  const { schema, validate } = readInput(name, input);
  const descriptor = { name, description, inputSchema: schema };
  if (annotations) descriptor.annotations = annotations;
  const wire = wireMeta(name, meta);
  if (wire) descriptor._meta = wire;
  server.add({ descriptor: Object.freeze(descriptor), validate, handler });
  return descriptor;
}

function wireMeta(name, meta) {
  known(`meta of tool '${name}'`, meta, Object.keys(META));
  const entries = Object.entries(meta).filter(([, value]) => value !== undefined);
  for (const [key, value] of entries) expect(name, `meta.${key}`, value, META[key]);
  return entries.length ? Object.fromEntries(entries.map(([key, value]) => [`trailblaze/${key}`, value])) : undefined;
}

function known(what, object, keys) {
  const unknown = Object.keys(object).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw new TypeError(`${what}: unknown key '${unknown}'; known are ${keys.join(', ')}`);
}

function expect(name, part, value, { of, fits }) {
  if (fits(value)) return;
  if (value === undefined) throw new TypeError(`tool '${name}': ${part} is missing; it must be ${of}`);
  throw new TypeError(`tool '${name}': ${part} must be ${of}, not ${JSON.stringify(value) ?? typeof value}`);
}
