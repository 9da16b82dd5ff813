// Time and chance as an app sees them. Imported before the app, so that not even its first line sees the real ones.

import { config } from 'trailblaze:sim/config';

// Milliseconds on the run's clock; only the sim moves it.
export const time = { now: 0 };

const EPOCH = Date.UTC(2026, 0, 1);
const RealDate = Date;
const dateNow = () => EPOCH + time.now;

// The sim lives in UTC: a trail must not depend on where it is run.
const prototype = RealDate.prototype;
for (const part of ['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds', 'Milliseconds']) {
  prototype[`get${part}`] = prototype[`getUTC${part}`];
  if (part !== 'Day') prototype[`set${part}`] = prototype[`setUTC${part}`];
}
prototype.getTimezoneOffset = () => 0;
prototype.toString = prototype.toUTCString;

RealDate.now = dateNow;
const SimDate = new Proxy(RealDate, {
  apply: () => new RealDate(dateNow()).toString(),
  construct(target, args, newTarget) {
    if (args.length === 0) args = [dateNow()];
    if (args.length > 1) args = [RealDate.UTC(...args)];
    return Reflect.construct(target, args, newTarget === SimDate ? target : newTarget);
  },
});
prototype.constructor = SimDate;
globalThis.Date = SimDate;
const performance = { now: () => time.now, timeOrigin: EPOCH };
Object.defineProperty(globalThis, 'performance', { value: performance, writable: true, configurable: true });

// mulberry32: small, and the same on every machine.
let seed = config.seed;
export function random() {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
Math.random = random;

// The sim itself uses these; an app that replaced them would change the phone under its feet. It may add to them.
for (const shared of [Array.prototype, String.prototype, Object, JSON, Math, Number, Reflect]) {
  for (const key of Reflect.ownKeys(shared)) {
    const { configurable, writable } = Object.getOwnPropertyDescriptor(shared, key);
    const locked = writable ? { writable: false, configurable: false } : { configurable: false };
    if (configurable) Object.defineProperty(shared, key, locked);
  }
}
