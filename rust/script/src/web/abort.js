// `AbortController` and `AbortSignal`. Time-outs run on the timers of the prelude, so on the clock of the test run.
(host) => {
  'use strict';
  const { own, use } = host;
  const { DOMException, RangeError, Set, TypeError, apply, iterator, setTimeout, tag, uncurry } = own;
  const { Event, EventTarget, add, dispatch } = use('events');
  const setAdd = uncurry(own.setAdd);
  const setDelete = uncurry(own.setDelete);
  const setEach = uncurry(own.setEach);

  const secret = {};
  let abort;
  let isAborted;
  let reasonOf;
  // Calls `task` when the signal is aborted, before its listeners; gives a function that takes it back.
  let whenAborted;

  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason = undefined;
    #tasks = new Set();
    #handler = null;
    #handled = false;

    static {
      abort = (signal, reason) => signal.#abort(reason);
      isAborted = (signal) => signal.#aborted;
      reasonOf = (signal) => signal.#reason;
      whenAborted = (signal, task) => {
        setAdd(signal.#tasks, task);
        return () => setDelete(signal.#tasks, task);
      };
    }

    constructor(key) {
      if (key !== secret) throw new TypeError('Illegal constructor: use new AbortController().signal');
      super();
    }

    static abort(reason = undefined) {
      const signal = new AbortSignal(secret);
      signal.#abort(reason);
      return signal;
    }

    static timeout(ms) {
      const delay = +ms;
      if (!(delay >= 0 && delay <= 2 ** 53 - 1)) {
        throw new RangeError('AbortSignal.timeout needs a number of milliseconds');
      }
      if (!setTimeout) throw new TypeError('AbortSignal.timeout: there are no timers here');
      const signal = new AbortSignal(secret);
      const task = () => signal.#abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
      apply(setTimeout, undefined, [task, delay]);
      return signal;
    }

    static any(signals) {
      if (typeof signals?.[iterator] !== 'function') throw new TypeError('AbortSignal.any needs a list of signals');
      const signal = new AbortSignal(secret);
      const sources = new Set();
      for (const source of signals) {
        isAborted(source);
        setAdd(sources, source);
      }
      setEach(sources, (source) => {
        if (source.#aborted) signal.#abort(source.#reason);
      });
      if (!signal.#aborted) {
        setEach(sources, (source) => whenAborted(source, () => signal.#abort(source.#reason)));
      }
      return signal;
    }

    get aborted() {
      return this.#aborted;
    }

    get reason() {
      return this.#reason;
    }

    get onabort() {
      return this.#handler;
    }

    set onabort(handler) {
      this.#handler = typeof handler === 'function' ? handler : null;
      if (this.#handled) return;
      this.#handled = true;
      add(this, 'abort', (event) => {
        if (this.#handler) apply(this.#handler, this, [event]);
      });
    }

    throwIfAborted() {
      if (this.#aborted) throw this.#reason;
    }

    #abort(reason) {
      if (this.#aborted) return;
      this.#aborted = true;
      this.#reason = reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : reason;
      const tasks = this.#tasks;
      this.#tasks = new Set();
      setEach(tasks, (task) => task());
      dispatch(this, new Event('abort'));
    }
  }

  class AbortController {
    #signal = new AbortSignal(secret);

    get signal() {
      return this.#signal;
    }

    abort(reason = undefined) {
      abort(this.#signal, reason);
    }
  }
  tag(AbortSignal.prototype, 'AbortSignal');
  tag(AbortController.prototype, 'AbortController');

  return { AbortController, AbortSignal, isAborted, reasonOf, whenAborted };
}
