// Where a call goes: what Trailblaze sent along with the tool call that asks.

const DEFAULT_ADDRESS = 'http://localhost:52525';

/**
 * What is known of the tool call, out of the second parameter of a handler (both generations of the official SDK), its
 * `_meta`, the `trailblaze` in there, or the `_trailblaze` of old.
 */
export function readContext(given) {
  const request = given?.mcpReq ?? given;
  const signal = request?.signal instanceof AbortSignal ? request.signal : undefined;
  // A handler that was called by somebody else is told nothing; what else it has is about MCP.
  const meta = request?._meta ?? (signal ? {} : given) ?? {};
  const told = meta.trailblaze ?? meta._trailblaze ?? meta;
  const { device } = told;
  return {
    baseUrl: told.baseUrl,
    invocationId: meta.trailblazeInvocationId ?? told.invocationId,
    sessionId: told.sessionId,
    deviceId: device?.id ?? told.deviceId,
    platform: (device?.platform ?? told.platform)?.toLowerCase(),
    groups: device?.groups,
    signal,
  };
}

/** An address with a scheme and without a path. The server of callbacks is that of commands. */
export function readAddress(given = process.env.TRAILBLAZE_CALLBACK_URL ?? DEFAULT_ADDRESS) {
  return new URL(/^https?:\/\//i.test(given) ? given : `http://${given}`).origin;
}

/** The token of the environment is for this machine: who sends a context could name any address. */
export function readToken(address) {
  const isHere = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(address).hostname);
  return isHere ? process.env.TRAILBLAZE_RPC_TOKEN : undefined;
}
