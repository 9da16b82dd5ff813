// `trailblaze serve` with the client of gRPC that everybody has, for Python: HTTP/2 without TLS, and no message but those that the
// server explains.

import assert from 'node:assert/strict';
import test, { before, describe } from 'node:test';

import { printed } from './clients.mjs';
import { resembles } from './judge.mjs';
import { deskWithStuckTool, given, here, serve } from './lab.mjs';

const TOKEN = 'open sesame';
let outcomes;

const succeeds = (name, value) => test(name, () => assert.deepEqual(outcomes[name], { value }));
const isTold = (name, expected) => test(name, () => resembles(outcomes[name], expected));
const isRefused = (name, status, message, kind, more) =>
  isTold(name, { error: { status, message, ...(kind && { failure: { kind, ...more } }) } });

describe('gRPC', () => {
  before(async () => {
    const address = await serve(deskWithStuckTool(), '--rpc-token', TOKEN);
    const args = ['-B', here('./runners/grpc_stock.py'), address.replace('http://', ''), TOKEN];
    outcomes = JSON.parse(await printed(given('TRAILBLAZE_PYTHON'), args));
  });

  test('reflection names the services', () => {
    const services = ['DesktopCommands', 'MaestroCommands', 'PlaywrightCommands', 'TrailblazeCommands', 'TrailblazeRegistry'];
    const others = ['health.v1.Health', 'reflection.v1.ServerReflection', 'reflection.v1alpha.ServerReflection'];
    const names = [...others.map((name) => `grpc.${name}`), ...services.map((name) => `trailblaze.v1.${name}`)];
    assert.deepEqual(outcomes.services, names);
  });

  for (const name of ['health', 'health of a service', 'watch']) isTold(name, { status: 'SERVING' });
  isRefused('health of no service', 'NOT_FOUND', "there is no service 'trailblaze.v1.Other'", 'UnknownService');

  succeeds('launch', { success: true });
  succeeds('query', { value: true });
  succeeds('packed', { value: true });
  isTold('action that fails', {
    value: { failure: { kind: 'NotFound', hint: "did you mean 'Sign in'?", candidates: ['Sign in'] } },
  });

  isRefused('unknown invocation', 'INVALID_ARGUMENT', 'Unknown invocation ID: inv-9. …', 'UnknownInvocation', { code: -32602 });
  isRefused('unknown device', 'NOT_FOUND', "there is no device 'moon'", 'UnknownDevice', { hint: 'there is sim' });
  isRefused('argument that is missing', 'INVALID_ARGUMENT', '…', 'MissingRequiredArgs');
  isRefused('group that is not there', 'UNIMPLEMENTED', 'the device has no playwright commands', 'UnsupportedGroup');

  // Whichever of the two notices it first says so.
  isRefused('deadline', 'DEADLINE_EXCEEDED', '…');
  test('cancelled', () => assert.equal(outcomes.cancelled, true));
  for (const name of ['after the deadline', 'after it was cancelled', 'after it was oversized']) succeeds(name, { value: true });
  test('at once', () => assert.equal(outcomes['at once'], true));

  test('a screenshot comes in pieces', () => {
    const pieces = outcomes.screenshot.value;
    const bytes = pieces.map(({ data }) => Buffer.from(data, 'base64'));
    const picture = Buffer.concat(bytes);
    assert.equal(picture.subarray(1, 4).toString(), 'PNG');
    assert.ok(bytes.length > 1 && bytes.every(({ length }) => length <= 1024));
    for (const { totalBytes, mediaType } of pieces) assert.deepEqual([totalBytes, mediaType], [picture.length, 'image/png']);
  });
  isRefused('pieces too small', 'INVALID_ARGUMENT', "'pieceBytes' must be from 1024 …", 'InvalidRequest');

  for (const name of ['no token', 'wrong token']) {
    isRefused(name, 'UNAUTHENTICATED', 'this server wants a token', 'Unauthenticated', { hint: '…--rpc-token…' });
  }
  for (const name of ['malformed', 'invalid UTF-8']) {
    isRefused(name, 'INVALID_ARGUMENT', 'this is no trailblaze.v1.TapRequest: …', 'InvalidRequest');
  }
  isRefused('unknown method', 'UNIMPLEMENTED', "there is no method 'trailblaze.v1.TrailblazeCommands/Fly'", 'UnknownMethod');
  isRefused('unknown service', 'UNIMPLEMENTED', "there is no method 'trailblaze.v1.FlightCommands/Fly'", 'UnknownMethod');
  isRefused('oversized', 'RESOURCE_EXHAUSTED', '… exceeds limit 16777216', 'TooLarge');
});
