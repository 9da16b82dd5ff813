// `structuredClone`. What a value is, is asked of the engine's own methods, which no other object passes.
(host) => {
  'use strict';
  const { own, native, use } = host;
  const { ArrayBuffer, DOMException, DataView, Date, Map, Object, RegExp, Set, String, TypeError, arrays, errors } = own;
  const { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, hide, isArray, isError, isView } = own;
  const { iterator, keys, uncurry } = own;
  const { bytesOf } = use('text');
  const bufferLength = uncurry(own.bufferLength);
  const bufferMost = uncurry(own.bufferMost);
  const bufferResizable = uncurry(own.bufferResizable);
  const mapEach = uncurry(own.mapEach);
  const mapGet = uncurry(own.mapGet);
  const mapSet = uncurry(own.mapSet);
  const push = uncurry(own.arrayPush);
  const setAdd = uncurry(own.setAdd);
  const setEach = uncurry(own.setEach);
  const setHas = uncurry(own.setHas);
  const typedSet = uncurry(own.typedSet);
  const objectPrototype = Object.prototype;
  const regExpPrototype = RegExp.prototype;

  const fail = (what) => {
    throw new DOMException(what + ' could not be cloned', 'DataCloneError');
  };
  const show = (value) => {
    try {
      return String(value);
    } catch {
      return 'a value';
    }
  };
  const never = { __proto__: null };
  // What the method gives for an object of its own kind, and `never` for any other.
  const ask = (method, value, arg = undefined) => {
    try {
      return apply(method, value, [arg]);
    } catch {
      return never;
    }
  };
  const is = (method, value, arg = undefined) => ask(method, value, arg) !== never;
  const data = (object, name, value) =>
    defineProperty(object, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });

  const kinds = [
    [own.dateValue, (time) => new Date(time)],
    [own.booleanValue, Object],
    [own.numberValue, Object],
    [own.stringValue, Object],
    [own.bigIntValue, Object],
  ];
  const uncloneable = [
    [own.weakMapHas, 'a WeakMap'], [own.weakSetHas, 'a WeakSet'], [own.refValue, 'a WeakRef'],
    [own.symbolValue, 'a Symbol object'], [own.sharedLength, 'a SharedArrayBuffer'],
  ];

  // The getter `flags` asks the object for each of them by its name.
  const flagsOf = (value) => {
    let flags = '';
    for (let i = 0; i < own.regExpFlags.length; i++) {
      if (apply(own.regExpFlags[i][1], value, [])) flags += own.regExpFlags[i][0];
    }
    return flags;
  };

  const cloneBuffer = (buffer) => {
    const most = bufferResizable(buffer) ? { __proto__: null, maxByteLength: bufferMost(buffer) } : undefined;
    const copy = new ArrayBuffer(bufferLength(buffer), most);
    typedSet(bytesOf(copy), bytesOf(buffer));
    return copy;
  };

  // `seen` has what was cloned already, so that what was one object stays one, also when it holds itself.
  const clone = (value, seen) => {
    if (typeof value === 'function') fail('a function');
    if (typeof value === 'symbol') fail(show(value));
    if (typeof value !== 'object' || value === null) return value;
    const known = mapGet(seen, value);
    if (known !== undefined) return known;
    const keep = (copy) => {
      mapSet(seen, value, copy);
      return copy;
    };
    if (native.isProxy(value)) fail('a Proxy');
    const prototype = getPrototypeOf(value);
    if (isArray(value)) {
      const copy = keep([]);
      copy.length = value.length;
      return cloneProperties(value, copy, seen);
    }
    if (prototype === null || prototype === objectPrototype) return cloneProperties(value, keep({}), seen);
    if (isView(value)) return keep(cloneView(value, seen));
    if (isError(value)) return cloneError(value, keep, seen);
    if (native.isPromise(value)) fail('a Promise');
    if (is(own.mapHas, value, 0)) {
      const copy = keep(new Map());
      // First all that is there, since a getter of what is in it may change it.
      const pairs = [];
      mapEach(value, (item, key) => push(pairs, key, item));
      for (let i = 0; i < pairs.length; i += 2) mapSet(copy, clone(pairs[i], seen), clone(pairs[i + 1], seen));
      return copy;
    }
    if (is(own.setHas, value, 0)) {
      const copy = keep(new Set());
      const items = [];
      setEach(value, (item) => push(items, item));
      for (let i = 0; i < items.length; i++) setAdd(copy, clone(items[i], seen));
      return copy;
    }
    if (value !== regExpPrototype && is(own.regExpSource, value)) {
      return keep(new RegExp(apply(own.regExpSource, value, []), flagsOf(value)));
    }
    if (is(own.bufferLength, value)) return keep(cloneBuffer(value));
    for (let i = 0; i < kinds.length; i++) {
      const inner = ask(kinds[i][0], value);
      if (inner !== never) return keep(kinds[i][1](inner));
    }
    for (let i = 0; i < uncloneable.length; i++) {
      if (is(uncloneable[i][0], value, value)) fail(uncloneable[i][1]);
    }
    return cloneProperties(value, keep({}), seen);
  };

  const cloneProperties = (value, copy, seen) => {
    const names = keys(value);
    for (let i = 0; i < names.length; i++) {
      // A getter may have taken it away meanwhile.
      if (getOwnPropertyDescriptor(value, names[i])) data(copy, names[i], clone(value[names[i]], seen));
    }
    return copy;
  };

  const cloneView = (view, seen) => {
    const name = apply(own.typedName, view, []);
    if (name === undefined) {
      const buffer = clone(apply(own.viewBuffer, view, []), seen);
      return new DataView(buffer, apply(own.viewStart, view, []), apply(own.viewLength, view, []));
    }
    const buffer = clone(apply(own.typedBuffer, view, []), seen);
    return new arrays[name](buffer, apply(own.typedStart, view, []), apply(own.typedLength, view, []));
  };

  const cloneError = (error, keep, seen) => {
    const { name } = error;
    const text = (key) => {
      const own = getOwnPropertyDescriptor(error, key);
      return own && 'value' in own ? String(own.value) : undefined;
    };
    if (ask(domName, error) !== never) return keep(new DOMException(error.message, name));
    const copy = keep(new (errors[String(name)] ?? errors.Error)());
    const message = text('message');
    if (message !== undefined) hide(copy, 'message', message);
    const { stack } = error;
    if (typeof stack === 'string') hide(copy, 'stack', stack);
    const cause = getOwnPropertyDescriptor(error, 'cause');
    if (cause && 'value' in cause) hide(copy, 'cause', clone(cause.value, seen));
    return copy;
  };
  const domName = own.domName;

  // A buffer that is handed over is copied like any other, and then taken from its owner.
  const handOver = (options) => {
    const given = options?.transfer;
    const buffers = [];
    if (given === undefined) return buffers;
    if (given === null || typeof given[iterator] !== 'function') throw new TypeError('structuredClone: transfer must be a list');
    const before = new Set();
    for (const buffer of given) {
      const length = ask(own.bufferLength, buffer);
      if (length === never) {
        throw new DOMException('only an ArrayBuffer can be transferred', 'DataCloneError');
      }
      if (setHas(before, buffer)) throw new DOMException('an ArrayBuffer is transferred twice', 'DataCloneError');
      setAdd(before, buffer);
      push(buffers, buffer);
    }
    return buffers;
  };

  const structuredClone = { structuredClone(value, options = undefined) {
    if (arguments.length === 0) throw new TypeError('structuredClone needs an argument');
    const given = handOver(options);
    const copy = clone(value, new Map());
    for (let i = 0; i < given.length; i++) apply(own.bufferTransfer, given[i], []);
    return copy;
  } }.structuredClone;

  return { structuredClone };
}
