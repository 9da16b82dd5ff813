// Evaluated after the prelude; gets `open(file)` and, where scripts may use the network, the host's `fetch`. Puts an
// accessor for every global of the web in place. The files are read long after a script may have changed a prototype,
// so `own` holds what they use as it was before any script ran; `uncurry` makes a function of a method. They avoid
// what looks methods up: spreading, `for of` and, on the way to a result, text in backquotes (QuickJS calls `concat`).
(open, fetch) => {
  'use strict';
  const { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const get = (prototype, name) => getOwnPropertyDescriptor(prototype, name).get;
  const TypedArray = getPrototypeOf(Uint8Array);
  const array = Array.prototype;
  const buffer = ArrayBuffer.prototype;
  const map = Map.prototype;
  const regExp = RegExp.prototype;
  const set = Set.prototype;
  const string = String.prototype;
  const typed = TypedArray.prototype;
  const view = DataView.prototype;

  // Without a prototype, so that nobody else has a say in what a property is.
  const hide = (object, name, value) =>
    defineProperty(object, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
  // `splice` would ask the array for its species.
  const removeAt = (list, at) => {
    for (let i = at + 1; i < list.length; i++) list[i - 1] = list[i];
    list.length -= 1;
  };
  const { iterator, toStringTag } = Symbol;
  const tag = (prototype, name) =>
    defineProperty(prototype, toStringTag, { __proto__: null, value: name, configurable: true });

  const own = {
    __proto__: null,
    hide, iterator, removeAt, tag,
    apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, uncurry,
    ArrayBuffer, DOMException, DataView, Date, Map, Object, Promise, RangeError, RegExp, Set, String, TypeError, Uint8Array,
    arrays: {
      __proto__: null, BigInt64Array, BigUint64Array, Float16Array: globalThis.Float16Array, Float32Array, Float64Array,
      Int8Array, Int16Array, Int32Array, Uint8Array, Uint8ClampedArray, Uint16Array, Uint32Array,
    },
    errors: { __proto__: null, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError },
    arrayPush: array.push, arraySort: array.sort,
    bigIntValue: BigInt.prototype.valueOf, booleanValue: Boolean.prototype.valueOf, dateValue: Date.prototype.getTime,
    numberValue: Number.prototype.valueOf, stringValue: string.valueOf, symbolValue: Symbol.prototype.valueOf,
    domName: get(DOMException.prototype, 'name'), isArray: Array.isArray, isError: Error.isError, keys: Object.keys,
    bufferLength: get(buffer, 'byteLength'), bufferMost: get(buffer, 'maxByteLength'),
    bufferResizable: get(buffer, 'resizable'), bufferTransfer: buffer.transfer, isView: ArrayBuffer.isView,
    sharedLength: get(SharedArrayBuffer.prototype, 'byteLength'),
    viewBuffer: get(view, 'buffer'), viewLength: get(view, 'byteLength'), viewStart: get(view, 'byteOffset'),
    typedBuffer: get(typed, 'buffer'), typedBytes: get(typed, 'byteLength'), typedLength: get(typed, 'length'),
    typedName: get(typed, toStringTag), typedSet: typed.set, typedStart: get(typed, 'byteOffset'),
    fromBase64: Uint8Array.fromBase64, toBase64: Uint8Array.prototype.toBase64,
    mapEach: map.forEach, mapGet: map.get, mapHas: map.has, mapSet: map.set,
    setAdd: set.add, setDelete: set.delete, setEach: set.forEach, setHas: set.has,
    refValue: WeakRef.prototype.deref, weakMapHas: WeakMap.prototype.has, weakSetHas: WeakSet.prototype.has,
    charCodeAt: string.charCodeAt, normalize: string.normalize, slice: string.slice, toLowerCase: string.toLowerCase,
    toUpperCase: string.toUpperCase, toWellFormed: string.toWellFormed,
    regExpFlags: [
      ['d', get(regExp, 'hasIndices')], ['g', get(regExp, 'global')], ['i', get(regExp, 'ignoreCase')],
      ['m', get(regExp, 'multiline')], ['s', get(regExp, 'dotAll')], ['u', get(regExp, 'unicode')],
      ['v', get(regExp, 'unicodeSets')], ['y', get(regExp, 'sticky')],
    ],
    regExpSource: get(regExp, 'source'), parse: JSON.parse, stringify: JSON.stringify, then: Promise.prototype.then,
    now: performance.now.bind(performance), reportError: globalThis.console?.error, setTimeout: globalThis.setTimeout,
  };

  const used = { __proto__: null };
  const host = { own, fetch, use: (file) => used[file] ?? read(file) };
  const read = (file) => {
    const { factory, native } = open(file);
    return used[file] = factory({ __proto__: host, native });
  };

  const lazy = (file, name) => defineProperty(globalThis, name, {
    __proto__: null,
    get() {
      const value = host.use(file)[name];
      hide(globalThis, name, value);
      return value;
    },
    set(value) {
      hide(globalThis, name, value);
    },
    enumerable: false,
    configurable: true,
  });
  const files = {
    __proto__: null,
    abort: ['AbortController', 'AbortSignal'],
    clone: ['structuredClone'],
    crypto: ['crypto'],
    events: ['CustomEvent', 'Event', 'EventTarget'],
    fetch: ['Request', 'Response', 'fetch'],
    headers: ['Headers'],
    params: ['URLSearchParams'],
    text: ['TextDecoder', 'TextEncoder'],
    url: ['URL'],
  };
  for (const file in files) {
    const names = files[file];
    for (let i = 0; i < names.length; i++) lazy(file, names[i]);
  }
}
