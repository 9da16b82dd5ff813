import { print, same, throws } from './check.js';

const clone = (value) => {
  const copy = structuredClone(value);
  same(copy, value);
  if (typeof value === 'object' && value !== null && copy === value) throw new Error('is the same object');
  return copy;
};

export const cases = {
  'primitives': () => {
    for (const value of [undefined, null, true, 1, -0, NaN, Infinity, 'text', '', 12345678901234567890n]) clone(value);
  },
  'objects and arrays': () => {
    clone({ a: 1, b: [1, { c: 'x' }], 2: 'two', 'a b': undefined });
    clone([1, , 3]);
    same(structuredClone([1, , 3]).length, 3);
    same(1 in structuredClone([1, , 3]), false);
    const list = Object.assign([1], { extra: 2 });
    same(structuredClone(list).extra, 2);
    same(structuredClone({ ['__proto__']: 1 }).hasOwnProperty('__proto__'), true);
  },
  'only what is enumerable and named by a text': () => {
    const value = { a: 1, [Symbol('s')]: 2 };
    Object.defineProperty(value, 'hidden', { value: 3, enumerable: false });
    same(structuredClone(value), { a: 1 });
    same(Object.getOwnPropertySymbols(structuredClone(value)), []);
  },
  'getters become values': () => {
    const copy = structuredClone({ get a() { return 5; } });
    same(Object.getOwnPropertyDescriptor(copy, 'a').value, 5);
    throws(() => structuredClone({ get a() { throw new RangeError('no'); } }), 'RangeError');
  },
  'classes become plain objects': () => {
    class Point { x = 1; #y = 2; get y() { return this.#y; } }
    const copy = structuredClone(new Point());
    same(copy, { x: 1 });
    same(Object.getPrototypeOf(copy) === Object.prototype, true);
    same(structuredClone(Object.create(null)), {});
    same(structuredClone(Object.create({ inherited: 1 })), {});
  },
  'cycles': () => {
    const a = { name: 'a' };
    a.self = a;
    a.list = [a, { a }];
    const copy = structuredClone(a);
    same(copy.self === copy && copy.list[0] === copy && copy.list[1].a === copy && copy !== a, true);
    const map = new Map();
    map.set('me', map).set(map, 1);
    const other = structuredClone(map);
    same(other.get('me') === other && other.get(other) === 1, true);
    const set = new Set();
    set.add(set);
    const twin = structuredClone(set);
    same(twin.has(twin) && !twin.has(set), true);
  },
  'one object stays one': () => {
    const shared = {};
    const { a, b } = structuredClone({ a: shared, b: shared });
    same(a === b && a !== shared, true);
  },
  'maps and sets': () => {
    clone(new Map([[1, 'one'], [{ k: 1 }, new Map([['x', new Set([1])]])]]));
    clone(new Set(['a', 1, { b: 2 }, new Set()]));
    class MyMap extends Map {}
    const copy = structuredClone(new MyMap([[1, 2]]));
    same(copy instanceof MyMap, false);
    same(copy.get(1), 2);
    same(Object.keys(structuredClone(Object.assign(new Map(), { extra: 1 }))), []);
  },
  'dates': () => {
    clone(new Date(0));
    clone(new Date(NaN));
    clone(new Date(1700000000123));
    same(structuredClone(new Date(5)) instanceof Date, true);
  },
  'regular expressions': () => {
    clone(/a.b/giu);
    clone(/[/]\n/y);
    const last = /x/g;
    last.lastIndex = 3;
    same(structuredClone(last).lastIndex, 0);
    same(structuredClone(/(?<n>a)/d).exec('a').groups.n, 'a');
  },
  'boxed primitives': () => {
    clone(new Number(1));
    clone(new String('text'));
    clone(new Boolean(false));
    same(typeof structuredClone(Object(1n)), 'object');
    same(structuredClone(Object(1n)) == 1n, true);
  },
  'buffers': () => {
    const buffer = Uint8Array.of(1, 2, 3).buffer;
    const copy = clone(buffer);
    new Uint8Array(copy)[0] = 9;
    same(new Uint8Array(buffer)[0], 1);
    clone(new ArrayBuffer(0));
    const resizable = structuredClone(new ArrayBuffer(2, { maxByteLength: 8 }));
    same([resizable.resizable, resizable.byteLength, resizable.maxByteLength], [true, 2, 8]);
  },
  'typed arrays': () => {
    const types = [
      Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array,
    ];
    for (const Type of types) {
      const copy = clone(Type.of(1, 2, 3));
      same(copy.constructor === Type, true);
    }
    clone(BigInt64Array.of(-1n));
    clone(BigUint64Array.of(1n, 2n));
    clone(new DataView(new ArrayBuffer(8), 2, 4));
  },
  'views share their buffer': () => {
    const buffer = new ArrayBuffer(8);
    const copy = structuredClone({ a: new Uint8Array(buffer, 2, 4), b: new Uint16Array(buffer), c: new DataView(buffer, 1) });
    same(copy.a.buffer === copy.b.buffer && copy.b.buffer === copy.c.buffer && copy.a.buffer !== buffer, true);
    same([copy.a.byteOffset, copy.a.length, copy.a.buffer.byteLength], [2, 4, 8]);
  },
  'errors': () => {
    for (const Type of [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]) {
      const copy = clone(new Type('message'));
      same(Object.getPrototypeOf(copy) === Type.prototype, true);
      same(Object.prototype.hasOwnProperty.call(copy, 'message'), true);
    }
    same(typeof structuredClone(new Error('x')).stack, 'string');
    const original = new Error('x');
    same(structuredClone(original).stack, original.stack);
  },
  'errors of other names': () => {
    class Custom extends TypeError { name = 'Custom'; extra = 1; }
    const copy = structuredClone(new Custom('m'));
    same(Object.getPrototypeOf(copy) === Error.prototype, true);
    same([copy.message, copy.extra], ['m', undefined]);
    same(structuredClone(Object.assign(new Error('m'), { name: 'RangeError' })) instanceof RangeError, true);
    same('message' in Object.getOwnPropertyDescriptors(structuredClone(new Error())), false);
  },
  'a circle of causes': () => {
    const error = new Error('outer', { cause: { list: [1] } });
    const copy = structuredClone({ error }).error;
    same(copy.message, 'outer');
    // Node 20 cannot do that one.
    if (globalThis.process) return;
    same(copy.cause, { list: [1] });
    const self = new Error('self');
    self.cause = self;
    same(structuredClone(self).cause.cause.message, 'self');
  },
  'functions and symbols are refused': () => {
    throws(() => structuredClone(() => 1), 'DataCloneError');
    throws(() => structuredClone(class {}), 'DataCloneError');
    throws(() => structuredClone(Symbol('x')), 'DataCloneError');
    throws(() => structuredClone({ deep: [{ f() {} }] }), 'DataCloneError');
    throws(() => structuredClone(new Map([[1, () => 1]])), 'DataCloneError');
    throws(() => structuredClone(Object(Symbol('x'))), 'DataCloneError');
    try {
      structuredClone(() => 1);
    } catch (error) {
      same(error instanceof DOMException && error.code === 25, true);
    }
  },
  'other things that have no copy': () => {
    throws(() => structuredClone(new WeakMap()), 'DataCloneError');
    throws(() => structuredClone(new WeakSet()), 'DataCloneError');
    throws(() => structuredClone(new WeakRef({})), 'DataCloneError');
    throws(() => structuredClone(Promise.resolve(1)), 'DataCloneError');
    throws(() => structuredClone(new Proxy({}, {})), 'DataCloneError');
    throws(() => structuredClone({ a: new Proxy([], {}) }), 'DataCloneError');
  },
  'transfer': () => {
    const buffer = Uint8Array.of(1, 2).buffer;
    const copy = structuredClone({ buffer, view: new Uint8Array(buffer) }, { transfer: [buffer] });
    same([...copy.view], [1, 2]);
    same(buffer.byteLength, 0);
    same(copy.view.buffer === copy.buffer, true);
    const other = new ArrayBuffer(1);
    throws(() => structuredClone(other, { transfer: [other, other] }), 'DataCloneError');
    throws(() => structuredClone(() => 1, { transfer: [other] }), 'DataCloneError');
    same(other.byteLength, 1);
  },
  'arguments': () => {
    throws(() => structuredClone(), 'TypeError');
    same(structuredClone(1, undefined), 1);
    same(structuredClone.name, 'structuredClone');
    same(print(structuredClone({ a: 1 }, {})), '{a: 1}');
  },
};
