// Evaluated before any script; gets the host's `write(level, text)` and its desk. Leaves nothing behind but `console`,
// timers and the host object, and keeps its own copies of what it uses, so that a script that changes a
// global changes only itself.
(write, desk) => {
  'use strict';
  const { apply, defineProperty } = Reflect;
  const { stringify } = JSON;
  const { slice, toWellFormed } = String.prototype;
  const NotAFunction = TypeError;
  // Longer lines are cut anyway.
  const LINE = 1 << 15;
  const NativeError = Error;
  const text = String;

  const fixed = (object, name, value) => {
    const done = defineProperty(object, name, { value, writable: false, enumerable: false, configurable: false });
    if (!done) throw new NativeError(`${text(name)} cannot be replaced`);
  };

  const show = (value) => {
    if (typeof value === 'string') return value;
    try {
      if (value instanceof NativeError) return `${value.name}: ${value.message}\n${value.stack ?? ''}`;
      if (typeof value === 'object' && value !== null) return stringify(value) ?? text(value);
      return text(value);
    } catch {
      return '[a value that cannot be printed]';
    }
  };
  const line = (level) => (...values) => {
    let message = '';
    for (let i = 0; i < values.length && message.length < LINE; i++) message += (i ? ' ' : '') + show(values[i]);
    write(level, apply(toWellFormed, apply(slice, message, [0, LINE]), []));
  };
  const info = line('info');
  const quiet = () => {};
  const counts = { __proto__: null };
  const console = {
    debug: line('debug'), info, log: info, trace: line('debug'), warn: line('warn'), error: line('error'),
    dir: (value) => info(value), dirxml: info, table: (value) => info(value), group: info, groupCollapsed: info, groupEnd: quiet,
    time: quiet, timeLog: info, timeEnd: quiet, clear: quiet,
    assert: (holds, ...values) => { if (!holds) line('error')('assertion failed:', ...values); },
    count: (label = 'default') => info(`${label}: ${counts[label] = (counts[label] ?? 0) + 1}`),
    countReset: (label = 'default') => { counts[label] = 0; },
  };
  defineProperty(globalThis, 'console', { value: console, writable: true, enumerable: false, configurable: true });

  // A microtask has no caller who could see its error.
  const native = globalThis.queueMicrotask;
  fixed(globalThis, 'queueMicrotask', function queueMicrotask(task) {
    apply(native, undefined, [() => {
      try {
        task();
      } catch (error) {
        console.error('uncaught in a microtask:', error);
      }
    }]);
  });

  // Timers run on the clock of the test run.
  const { setTimer, clearTimer } = desk;
  const timer = (name, repeat) => ({
    [name](task, ms = 0, ...args) {
      if (typeof task !== 'function') throw new NotAFunction(`${name} needs a function`);
      return setTimer(() => {
        try {
          apply(task, undefined, args);
        } catch (error) {
          console.error('uncaught in a timer:', error);
        }
      }, +ms || 0, repeat);
    },
  })[name];
  const stop = (name) => ({
    [name](id) {
      if (typeof id === 'number') clearTimer(id);
    },
  })[name];
  const functions = {
    setTimeout: timer('setTimeout', false),
    setInterval: timer('setInterval', true),
    clearTimeout: stop('clearTimeout'),
    clearInterval: stop('clearInterval'),
  };
  for (const name in functions) {
    defineProperty(globalThis, name, { value: functions[name], writable: true, enumerable: false, configurable: true });
  }

  // The date is that of the same clock: it stands still while the script runs, and moves when it waits.
  const RealDate = Date;
  const { now: realNow } = RealDate;
  const now = () => desk.date() ?? realNow();
  const { construct } = Reflect;
  const RunDate = function Date(...args) {
    if (new.target === undefined) return text(construct(RealDate, [now()]));
    return construct(RealDate, args.length === 0 ? [now()] : args, new.target);
  };
  for (const [name, value] of [['prototype', RealDate.prototype], ['now', now], ['parse', RealDate.parse], ['UTC', RealDate.UTC]]) {
    defineProperty(RunDate, name, { value, writable: name !== 'prototype', enumerable: false, configurable: name !== 'prototype' });
  }
  defineProperty(RunDate, 'length', { value: 7 });
  defineProperty(RealDate.prototype, 'constructor', { value: RunDate, writable: true, enumerable: false, configurable: true });
  defineProperty(globalThis, 'Date', { value: RunDate, writable: true, enumerable: false, configurable: true });
  const first = globalThis.performance;
  const realPerformance = first?.now;
  let start;
  if (realPerformance !== undefined) {
    // Its own cannot be replaced.
    const performance = { __proto__: first };
    fixed(performance, 'now', () => {
      const date = desk.date();
      if (date === undefined) return apply(realPerformance, first, []);
      start ??= date;
      return date - start;
    });
    defineProperty(globalThis, 'performance', { value: performance, writable: true, enumerable: false, configurable: true });
  }

  // What a toolset talks to the engine with.
  const { connect, send, answer, about, call } = desk;
  const host = Object.freeze({ connect, send, answer, about, call });
  fixed(globalThis, Symbol.for('trailblaze.host'), host);
}
