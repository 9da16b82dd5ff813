// How a call reaches the engine: straight in QuickJS, over HTTP from a process of its own.

import { environment, host } from './transport.js';

/**
 * Gives `{ success, textContent, errorMessage, structuredContent?, kind?, hint? }`, or a promise of it; throws when the
 * way is blocked. `call` is the one that asks: `{ id, meta }`, where that is known.
 */
export function callEngine(name, args, call) {
  const engine = host();
  return engine ? engine.call(name, args, call?.id) : overHttp(name, args, call);
}

async function overHttp(name, args, call) {
  const meta = call?.meta;
  const base = meta?.baseUrl?.replace(/\/+$/, '');
  const url = base ? `${base}/scripting/callback` : environment('TRAILBLAZE_CALLBACK_URL');
  if (!url) {
    return {
      success: false,
      errorMessage: `cannot call '${name}': this call does not come from Trailblaze`,
      kind: 'NotSupported',
      hint: 'run the tool in a Trailblaze session; a plain MCP client has no device',
    };
  }
  const request = {
    version: 1,
    session_id: meta?.sessionId ?? environment('TRAILBLAZE_SESSION_ID') ?? '',
    // Empty where nobody knows it: the engine accepts that while a single call is under way.
    invocation_id: call?.id ?? '',
    action: { type: 'call_tool', tool_name: name, arguments_json: JSON.stringify(args) },
  };
  return read(await post(url, request));
}

async function post(url, request) {
  let response;
  try {
    const headers = { 'content-type': 'application/json' };
    response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(request) });
  } catch (error) {
    throw new Error(`cannot reach Trailblaze at ${url}: ${error.cause?.message ?? error.message}`);
  }
  const body = await response.text();
  try {
    return JSON.parse(body);
  } catch {
    throw new Error(`Trailblaze at ${url} answered ${response.status} and no JSON: ${body.slice(0, 200)}`);
  }
}

/** Both spellings of the keys are in use. */
function read({ result } = {}) {
  if (result?.type !== 'call_tool_result') {
    return { success: false, errorMessage: result?.message ?? 'Trailblaze answered without a result' };
  }
  const { success, kind, hint } = result;
  return {
    success,
    textContent: result.textContent ?? result.text_content,
    errorMessage: result.errorMessage ?? result.error_message,
    structuredContent: result.structuredContent ?? result.structured_content,
    kind,
    hint,
  };
}
