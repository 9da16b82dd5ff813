// From what a handler returned or threw to what goes over the wire.

import { success } from './result.js';

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

const { stringify } = JSON;

/** The result of a handler that returned a text, as most do. The engine takes it as it is. */
export class Text {
  isError = false;

  constructor(text) {
    this.text = text;
  }
}

/** A result as an object of its own. */
export const plain = (result) => (result instanceof Text ? success(result.text) : result);

/** A result as it is, a text as text, any other JSON value as structured content and as text. */
export function returned(value) {
  if (value === undefined || value === '') return success();
  if (typeof value === 'string') return new Text(value);
  if (Array.isArray(value?.content)) return value;
  const json = stringify(value);
  if (json === undefined) throw new TypeError(`the handler returned a ${typeof value}, which is not JSON`);
  const plain = JSON.parse(json);
  // Structured content of MCP is an object, so other values are put into one, as the built-in queries do.
  return success(json, isObject(plain) ? plain : { value: plain });
}

/** Anything can be thrown, also `null` and objects whose properties throw. */
export function thrown(error) {
  let message;
  const trailblaze = { variant: 'ExceptionThrown' };
  try {
    message = isObject(error) ? String(error.message || error.name || error) : `${String(error)} was thrown`;
    if (typeof error?.stack === 'string') trailblaze.stack = error.stack;
    if (typeof error?.kind === 'string') trailblaze.kind = error.kind;
    if (typeof error?.hint === 'string') trailblaze.hint = error.hint;
  } catch {
    message ??= 'an error that cannot be printed';
  }
  return { content: [{ type: 'text', text: message }], isError: true, _meta: { trailblaze } };
}
