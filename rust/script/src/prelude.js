// Evaluated before any script; gets the host's `write(level, text)`. Leaves nothing behind but `console` and the
// guards, and keeps its own copies of what it uses, so that a script that changes a global changes only itself.
(write) => {
  'use strict';
  const { apply, defineProperty } = Reflect;
  const { stringify } = JSON;
  const toWellFormed = String.prototype.toWellFormed;
  const NativeError = Error;
  const TooLong = RangeError;
  const text = String;

  const fixed = (object, name, value) =>
    defineProperty(object, name, { value, writable: false, enumerable: false, configurable: false });

  // These loops of the engine never look at the clock, so an array that is all holes would block the thread for
  // minutes. No script that runs on a phone has a use for ten million elements.
  const MOST = 10_000_000;
  const guarded = [
    'concat', 'copyWithin', 'fill', 'flat', 'includes', 'indexOf', 'join', 'lastIndexOf', 'reverse', 'shift', 'slice',
    'sort', 'splice', 'toLocaleString', 'toReversed', 'toSorted', 'toSpliced', 'toString', 'unshift', 'with',
  ];
  for (const name of guarded) {
    const native = Array.prototype[name];
    const guard = {
      [name](...args) {
        if (this !== null && this !== undefined && this.length > MOST) {
          throw new TooLong(`Array.prototype.${name}: an array of ${this.length} elements is too long`);
        }
        return apply(native, this, args);
      },
    }[name];
    fixed(guard, 'length', native.length);
    fixed(Array.prototype, name, guard);
  }

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
    for (let i = 0; i < values.length; i++) message += (i ? ' ' : '') + show(values[i]);
    write(level, apply(toWellFormed, message, []));
  };
  const console = {
    debug: line('debug'), info: line('info'), log: line('info'), trace: line('debug'), warn: line('warn'), error: line('error'),
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
}
