// Toolsets as processes without Trailblaze: what it sends along with a call, and what must come of it.

import assert from 'node:assert/strict';

import { fits } from './lab.mjs';

/** What the engine makes of the variant of a result. */
const KINDS = { FatalError: 'Fatal', MissingRequiredArgs: 'MissingRequiredArgs' };

/** What the engine sends along with a call; `baseUrl` is an address to call back, where there is one. */
export function envelope({ memory = {}, agent = 'host' }, baseUrl = undefined) {
  const device = { widthPixels: 1080, heightPixels: 2400, driverType: 'android-ondevice-accessibility' };
  return {
    argument: { memory, device: { platform: 'ANDROID', ...device } },
    meta: {
      baseUrl,
      sessionId: 'session-1',
      invocationId: 'session-1-1',
      device: { id: 'sim', platform: 'android', ...device },
      memory,
      runtime: agent === 'host' ? 'host' : 'ondevice',
    },
  };
}

/** The flags in the metadata of a tool, in the words of the list. */
export function flagsOf(meta = {}) {
  const ours = Object.entries(meta).filter(([key]) => key.startsWith('trailblaze/'));
  const found = Object.fromEntries(ours.map(([key, value]) => [key.replace('trailblaze/', ''), value]));
  if (found.supportedPlatforms) found.supportedPlatforms = found.supportedPlatforms.map((name) => name.toLowerCase());
  return found;
}

/** Whether a call ended as the list says. */
export function endedAsListed(toolset, one, result) {
  const text = result.content.map((part) => part.text).join('\n');
  const failure = one.failure && { ...one.failure, ...one.in?.[toolset] };
  assert.equal(result.isError ?? false, failure !== undefined, text);
  if (failure) {
    fits(text, failure.message);
    assert.equal(KINDS[result._meta?.trailblaze?.variant] ?? 'Exception', failure.kind);
  } else {
    assert.equal(text, one.message);
  }
  if (one.structured) assert.deepEqual(result.structuredContent, one.structured);
}
