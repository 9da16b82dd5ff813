// What a tool answers, in the shape of MCP. Whatever is particular to Trailblaze stands in `_meta.trailblaze`.

const text = (value) => [{ type: 'text', text: String(value) }];

const failure = (message, trailblaze) => ({ content: text(message), isError: true, _meta: { trailblaze } });

/** The tool did its work. */
export function success(message = '', structured = undefined) {
  const result = { content: message === '' ? [] : text(message), isError: false };
  if (structured !== undefined) result.structuredContent = structured;
  return result;
}

/** The tool failed; the step fails with this message. */
export function error(message) {
  return failure(message, { variant: 'ExceptionThrown' });
}

/** The tool failed in a way that makes the rest of the trail pointless. */
export function fatalError(message) {
  return failure(message, { variant: 'FatalError' });
}

/** Arguments are missing that the tool cannot do without: their names, or a text of your own. */
export function missingRequiredArgs(missing) {
  const variant = 'MissingRequiredArgs';
  if (!Array.isArray(missing)) return failure(missing, { variant });
  return failure(`missing required arguments: ${missing.join(', ')}`, { variant, missing });
}

/** Calls that are run and recorded instead of this one. */
export function delegate(calls) {
  const delegates = calls.map(({ tool, args = {} }) => ({ tool, args }));
  return success(delegates.map(({ tool }) => tool).join(', '), { _trailblaze_delegates: delegates });
}
