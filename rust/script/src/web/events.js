// `Event`, `CustomEvent` and `EventTarget`: there is no tree, so an event has one target and does not travel.
(host) => {
  'use strict';
  const { own } = host;
  const { DOMException, String, TypeError, apply, now, removeAt, reportError, tag, uncurry } = own;
  const push = uncurry(own.arrayPush);

  let begin;
  let end;
  let stopped;

  class Event {
    #type;
    #bubbles;
    #cancelable;
    #composed;
    #target = null;
    #current = null;
    #running = false;
    #prevented = false;
    #passive = false;
    #stopped = false;
    #time = now();

    static {
      begin = (event, target) => {
        if (event.#running) throw new DOMException('the event is being dispatched already', 'InvalidStateError');
        event.#running = true;
        event.#target = target;
        event.#current = target;
      };
      end = (event) => {
        event.#running = false;
        event.#current = null;
        event.#stopped = false;
        return !event.#prevented;
      };
      stopped = (event, passive) => {
        event.#passive = passive;
        return event.#stopped;
      };
    }

    constructor(type, options = undefined) {
      if (arguments.length === 0) throw new TypeError('Event needs a type');
      this.#type = String(type);
      this.#bubbles = !!options?.bubbles;
      this.#cancelable = !!options?.cancelable;
      this.#composed = !!options?.composed;
    }

    get type() { return this.#type; }
    get bubbles() { return this.#bubbles; }
    get cancelable() { return this.#cancelable; }
    get composed() { return this.#composed; }
    get target() { return this.#target; }
    get srcElement() { return this.#target; }
    get currentTarget() { return this.#current; }
    get eventPhase() { return this.#running ? 2 : 0; }
    get defaultPrevented() { return this.#prevented; }
    get returnValue() { return !this.#prevented; }
    get timeStamp() { return this.#time; }
    get isTrusted() { return false; }

    composedPath() {
      return this.#running ? [this.#target] : [];
    }

    preventDefault() {
      if (this.#cancelable && !this.#passive) this.#prevented = true;
    }

    // There is nowhere to go on to.
    stopPropagation() {}

    stopImmediatePropagation() {
      this.#stopped = true;
    }
  }

  class CustomEvent extends Event {
    #detail;

    constructor(type, options = undefined) {
      super(type, options);
      this.#detail = options?.detail ?? null;
    }

    get detail() { return this.#detail; }
  }

  class EventTarget {
    #listeners = [];

    addEventListener(type, callback, options = undefined) {
      if (arguments.length < 2) throw new TypeError('addEventListener needs a type and a listener');
      const name = String(type);
      if (callback === null || callback === undefined) return;
      if (typeof callback !== 'function' && typeof callback !== 'object') {
        throw new TypeError('addEventListener: the listener must be a function or an object');
      }
      const settings = typeof options === 'object' && options !== null ? options : { __proto__: null, capture: options };
      const capture = !!settings.capture;
      const once = !!settings.once;
      const passive = !!settings.passive;
      const { signal } = settings;
      if (signal?.aborted || this.#find(name, callback, capture) >= 0) return;
      push(this.#listeners, { __proto__: null, name, callback, capture, once, passive, removed: false });
      if (signal) add(signal, 'abort', () => remove(this, name, callback, capture), { __proto__: null, once: true });
    }

    removeEventListener(type, callback, options = undefined) {
      if (arguments.length < 2) throw new TypeError('removeEventListener needs a type and a listener');
      const capture = !!(typeof options === 'object' && options !== null ? options.capture : options);
      this.#drop(this.#find(String(type), callback, capture));
    }

    dispatchEvent(event) {
      begin(event, this);
      const { type } = event;
      const listeners = [];
      for (let i = 0; i < this.#listeners.length; i++) {
        if (this.#listeners[i].name === type) push(listeners, this.#listeners[i]);
      }
      for (let i = 0; i < listeners.length; i++) {
        const { callback, once, passive, removed } = listeners[i];
        if (stopped(event, passive)) break;
        if (removed) continue;
        if (once) this.#drop(this.#find(type, callback, listeners[i].capture));
        try {
          if (typeof callback === 'function') apply(callback, this, [event]);
          else callback.handleEvent(event);
        } catch (error) {
          // Whoever dispatches an event must not suffer from who listens.
          reportError?.('uncaught in an event listener:', error);
        }
      }
      return end(event);
    }

    #find(name, callback, capture) {
      for (let i = 0; i < this.#listeners.length; i++) {
        const listener = this.#listeners[i];
        if (listener.name === name && listener.callback === callback && listener.capture === capture) return i;
      }
      return -1;
    }

    #drop(at) {
      if (at < 0) return;
      this.#listeners[at].removed = true;
      removeAt(this.#listeners, at);
    }
  }
  const add = uncurry(EventTarget.prototype.addEventListener);
  const remove = uncurry(EventTarget.prototype.removeEventListener);
  const dispatch = uncurry(EventTarget.prototype.dispatchEvent);
  tag(Event.prototype, 'Event');
  tag(CustomEvent.prototype, 'CustomEvent');
  tag(EventTarget.prototype, 'EventTarget');

  return { Event, CustomEvent, EventTarget, add, dispatch };
}
