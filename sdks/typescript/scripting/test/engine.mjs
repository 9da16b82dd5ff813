// A stand-in for the engine: answers the calls that tools make, and keeps a list of them.

import { createServer } from 'node:http';

export function fakeEngine() {
  const calls = [];
  const answers = {
    isVisible: { textContent: 'true', structuredContent: { value: true } },
    getElementText: { textContent: 'null', structuredContent: { value: null } },
    getElementCount: { textContent: '3' },
    captureScreen: { textContent: 'Welcome', structuredContent: { width: 1080, height: 2400, nodes: [] } },
    adbShell: { textContent: 'uid=2000' },
    shop_login: { textContent: 'signed in', structuredContent: { user: 1 } },
  };
  const call = async (tool, args, invocationId) => {
    await new Promise((resolve) => setTimeout(resolve, 2));
    calls.push({ tool, args, invocationId });
    if (args.text === 'Missing') {
      const errorMessage = "no element with text 'Missing'";
      return { success: false, textContent: '', errorMessage, kind: 'NotFound', hint: 'look' };
    }
    return { success: true, textContent: '', errorMessage: '', ...answers[tool] };
  };
  return { calls, call };
}

/** The same over HTTP, as version 1 of the callback, in one spelling of the keys or the other. */
export async function callbackServer(engine, spelling = (key) => key) {
  const requests = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await new Response(request).text());
    requests.push({ url: request.url, ...body });
    let result = { type: 'error', message: 'upgrade @trailblaze/scripting' };
    if (body.version === 1 && body.session_id === 'session-1') {
      const { tool_name: tool, arguments_json: json } = body.action;
      const outcome = await engine.call(tool, JSON.parse(json), body.invocation_id);
      const entries = Object.entries(outcome).map(([key, value]) => [spelling(key), value]);
      result = { type: 'call_tool_result', ...Object.fromEntries(entries) };
    }
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ result }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${server.address().port}`;
  return { baseUrl, requests, close: () => (server.closeAllConnections(), server.close()) };
}

export const snakeCase = (key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
