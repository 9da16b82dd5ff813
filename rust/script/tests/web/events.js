import { rejects, same, throws } from './check.js';

export const cases = {
  'an event': () => {
    const event = new Event('x', { cancelable: true });
    same([event.type, event.bubbles, event.cancelable, event.composed, event.defaultPrevented], ['x', false, true, false, false]);
    same([event.target, event.currentTarget, event.eventPhase, event.isTrusted], [null, null, 0, false]);
    same(typeof event.timeStamp, 'number');
    same(Object.prototype.toString.call(event), '[object Event]');
    throws(() => new Event(), 'TypeError');
  },
  'a custom event': () => {
    same(new CustomEvent('x', { detail: { a: 1 } }).detail, { a: 1 });
    same(new CustomEvent('x').detail, null);
    same(new CustomEvent('x') instanceof Event, true);
  },
  'listeners in their order': () => {
    const target = new EventTarget();
    const seen = [];
    target.addEventListener('x', () => seen.push(1));
    target.addEventListener('y', () => seen.push('y'));
    target.addEventListener('x', { handleEvent(event) { seen.push(event.type, this === undefined); } });
    target.addEventListener('x', function (event) { seen.push(this === target, event.target === target); });
    same(target.dispatchEvent(new Event('x')), true);
    same(seen, [1, 'x', false, true, true]);
  },
  'the same listener counts once': () => {
    const target = new EventTarget();
    let count = 0;
    const listener = () => count++;
    target.addEventListener('x', listener);
    target.addEventListener('x', listener);
    target.addEventListener('x', listener, { capture: true });
    target.dispatchEvent(new Event('x'));
    same(count, 2);
    target.removeEventListener('x', listener);
    target.dispatchEvent(new Event('x'));
    same(count, 3);
  },
  'once': () => {
    const target = new EventTarget();
    let count = 0;
    target.addEventListener('x', () => count++, { once: true });
    target.dispatchEvent(new Event('x'));
    target.dispatchEvent(new Event('x'));
    same(count, 1);
  },
  'removed while it runs': () => {
    const target = new EventTarget();
    const seen = [];
    const second = () => seen.push(2);
    target.addEventListener('x', () => {
      seen.push(1);
      target.removeEventListener('x', second);
      target.addEventListener('x', () => seen.push(3));
    });
    target.addEventListener('x', second);
    target.dispatchEvent(new Event('x'));
    same(seen, [1]);
  },
  'stopped and prevented': () => {
    const target = new EventTarget();
    let count = 0;
    target.addEventListener('x', (event) => { event.preventDefault(); event.stopImmediatePropagation(); });
    target.addEventListener('x', () => count++);
    same(target.dispatchEvent(new Event('x', { cancelable: true })), false);
    same(target.dispatchEvent(new Event('x')), true);
    same(count, 0);
  },
  'dispatched twice at a time': () => {
    const target = new EventTarget();
    const event = new Event('x');
    let name;
    target.addEventListener('x', () => {
      try {
        target.dispatchEvent(event);
      } catch (error) {
        name = error.name;
      }
    });
    target.dispatchEvent(event);
    same(name === 'InvalidStateError' || name === 'Error', true);
  },
  'a signal removes a listener': () => {
    const target = new EventTarget();
    const controller = new AbortController();
    let count = 0;
    target.addEventListener('x', () => count++, { signal: controller.signal });
    target.dispatchEvent(new Event('x'));
    controller.abort();
    target.dispatchEvent(new Event('x'));
    target.addEventListener('x', () => count++, { signal: controller.signal });
    target.dispatchEvent(new Event('x'));
    same(count, 1);
  },
  'targets can be extended': () => {
    class Door extends EventTarget {
      open() { return this.dispatchEvent(new CustomEvent('open', { detail: 'wide' })); }
    }
    const door = new Door();
    let detail;
    door.addEventListener('open', (event) => { detail = event.detail; });
    same(door.open(), true);
    same(detail, 'wide');
  },
  'not an event': () => {
    throws(() => new EventTarget().dispatchEvent({ type: 'x' }), 'TypeError');
    throws(() => new EventTarget().dispatchEvent(), 'TypeError');
    same(new EventTarget().addEventListener('x', null), undefined);
  },
  'a controller': () => {
    const controller = new AbortController();
    const { signal } = controller;
    same(signal === controller.signal && signal instanceof EventTarget, true);
    same([signal.aborted, signal.reason], [false, undefined]);
    signal.throwIfAborted();
    let count = 0;
    signal.addEventListener('abort', (event) => { count += event.currentTarget === signal && event.target === signal ? 1 : 100; });
    controller.abort();
    controller.abort('again');
    same([count, signal.aborted, signal.reason.name], [1, true, 'AbortError']);
    same(signal.reason instanceof DOMException, true);
    throws(() => signal.throwIfAborted(), 'AbortError', 'This operation was aborted');
  },
  'a reason': () => {
    const controller = new AbortController();
    const reason = new RangeError('mine');
    controller.abort(reason);
    same(controller.signal.reason === reason, true);
    throws(() => controller.signal.throwIfAborted(), 'RangeError', 'mine');
    const other = new AbortController();
    other.abort(null);
    same(other.signal.reason, null);
  },
  'onabort': () => {
    const controller = new AbortController();
    const seen = [];
    controller.signal.onabort = () => seen.push('first');
    controller.signal.onabort = function (event) { seen.push(event.type, this === controller.signal); };
    controller.abort();
    same(seen, ['abort', true]);
    same(new AbortController().signal.onabort, null);
  },
  'a signal cannot be made': () => throws(() => new AbortSignal(), 'TypeError'),
  'AbortSignal.abort': () => {
    same([AbortSignal.abort().aborted, AbortSignal.abort().reason.name, AbortSignal.abort(5).reason], [true, 'AbortError', 5]);
  },
  'AbortSignal.any': () => {
    const [a, b] = [new AbortController(), new AbortController()];
    const any = AbortSignal.any([a.signal, b.signal]);
    const both = AbortSignal.any([any]);
    let count = 0;
    any.addEventListener('abort', () => count++);
    same(any.aborted, false);
    b.abort('b');
    a.abort('a');
    same([any.aborted, any.reason, count, both.aborted, both.reason], [true, 'b', 1, true, 'b']);
    same(AbortSignal.any([new AbortController().signal, a.signal, b.signal]).reason, 'a');
    same(AbortSignal.any([]).aborted, false);
    throws(() => AbortSignal.any([{}]), 'TypeError');
    throws(() => AbortSignal.any(), 'TypeError');
  },
  'AbortSignal.timeout': () => {
    same(AbortSignal.timeout(1000).aborted, false);
    throws(() => AbortSignal.timeout(-1), 'RangeError');
    throws(() => AbortSignal.timeout(Infinity), 'RangeError');
  },
  'an error in a listener goes no further': async () => {
    // Node ends the process instead.
    if (globalThis.process) return;
    const target = new EventTarget();
    let count = 0;
    target.addEventListener('x', () => { throw new Error('expected, from a test'); });
    target.addEventListener('x', () => count++);
    same(target.dispatchEvent(new Event('x')), true);
    same(count, 1);
  },
  'a promise that waits for a signal': async () => {
    const controller = new AbortController();
    const promise = new Promise((_, reject) => {
      controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
    });
    queueMicrotask(() => controller.abort());
    await rejects(promise, 'AbortError');
  },
};
