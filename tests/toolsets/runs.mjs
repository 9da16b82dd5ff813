// The list as trails, run on the sim by the program itself.

import assert from 'node:assert/strict';

import { fits, program } from './lab.mjs';

/** The flags of a tool that says nothing about itself. */
export const PLAIN = {
  isForLlm: true,
  isRecordable: true,
  isDelegating: false,
  isVerification: false,
  requiresHost: false,
  supportedDrivers: [],
  supportedPlatforms: [],
  requiresContext: false,
  groups: [],
};

/** A trail with one call; JSON is YAML. */
export function writeTrail(space, id, { launch, memory = {}, tool, args = {} }) {
  const trail = { config: { memory }, trail: [{ step: 'Call', recording: { android: [{ [tool]: args }] } }] };
  if (launch) trail.trailhead = { step: 'Open', recording: { android: { launchApp: { appId: 'com.example.shop' } } } };
  space.write(`trails/${id}.trail.yaml`, JSON.stringify(trail));
}

/** Runs the trails of all cases at once; what became of each stands under its id. */
export function runCases(space, chosen) {
  const outcomes = new Map();
  for (const agent of ['host', 'on-device']) {
    const folder = `list-${agent}`;
    const mine = [...chosen.entries()].filter(([, { agent: wanted = 'host' }]) => wanted === agent);
    if (mine.length === 0) continue;
    for (const [number, one] of mine) {
      writeTrail(space, `${folder}/${number}`, one);
      // Only a caller sees structured content.
      const { tool, args, structured } = one;
      const asked = { ...one, tool: 'shop_ask', args: { tool, args } };
      if (structured) writeTrail(space, `${folder}/${number}-asked`, asked);
    }
    const events = space.path(`${agent}.jsonl`);
    const run = ['run', `trails/${folder}`, '--quiet', '--agent', agent, '--events', events];
    const { status, stdout, stderr } = space.run(program, run);
    // Some of the trails are meant to fail, but all of them are run.
    assert.ok(status === 0 || status === 1, stdout + stderr);
    for (const line of space.read(`${agent}.jsonl`).trim().split('\n')) {
      const { event, trail, ...rest } = JSON.parse(line);
      if (trail === undefined) continue;
      const id = trail.split('/').at(-1);
      outcomes.set(id, [...(outcomes.get(id) ?? []), { event, ...rest }]);
    }
  }
  return outcomes;
}

/** How the one call of a trail ended, and the tools that were called by it. */
export function ended(events, tool) {
  const isIt = ({ event, parent, tool: name }) => event === 'toolStarted' && name === tool && parent === undefined;
  const started = events?.find(isIt);
  assert.ok(started, `${tool} was not called: ${JSON.stringify(events)}`);
  const { message = '', failure } = events.find(({ event, call }) => event === 'toolFinished' && call === started.call);
  const calls = events.filter(({ event, call }) => event === 'toolStarted' && call > started.call);
  return { message, failure, calls: calls.map(({ tool: name }) => name) };
}

/** Whether the case of a number ended as the list says. */
export function endedAsListed(toolset, { tool, message, structured, failure, calls, in: others }, outcomes, number) {
  const outcome = ended(outcomes.get(String(number)), tool);
  if (failure) {
    const wanted = { ...failure, ...others?.[toolset] };
    assert.equal(outcome.failure?.kind, wanted.kind, JSON.stringify(outcome));
    fits(outcome.failure.message, wanted.message);
  } else {
    assert.equal(outcome.failure, undefined);
    assert.equal(outcome.message, message);
  }
  assert.deepEqual(outcome.calls, calls ?? []);
  if (structured) {
    const asked = JSON.parse(ended(outcomes.get(`${number}-asked`), 'shop_ask').message);
    assert.deepEqual(asked, { text: message, structured });
  }
}
