// Evaluated before anything else. QuickJS looks at the clock once in 10,000 steps of a script, and a built-in function is
// one step however long it runs. So what works through long texts and lists makes empty steps of its own for its work,
// and lengths that would take seconds, which no script on a phone has a use for, are refused. What a script still finds
// costs it its thread.
() => {
  'use strict';
  const { apply, construct, defineProperty, getPrototypeOf } = Reflect;
  const { isArray } = Array;
  const NativeProxy = Proxy;
  const TooLong = RangeError;
  const { floor, trunc } = Math;

  const MOST = 1_000_000;
  const MOST_TEXT = 1 << 22;
  const MOST_PATTERN = 10_000;
  const MOST_SEARCHED = 4e9;
  // Less than this is not worth a step.
  const FEW = 1_000;

  const work = (amount) => {
    for (let i = amount / 64; i > 1; i--);
  };
  const refuse = (what, length, of) => {
    throw new TooLong(`${what}: ${of} of ${length} elements is too long`);
  };
  const long = (what, length) => {
    throw new TooLong(`${what}: a text of ${length} characters is too long`);
  };
  // `{ [name]() {} }` makes methods: they have the right name and cannot be constructed, as those of the engine.
  const install = (object, name, guard, native) => {
    defineProperty(guard, 'length', { __proto__: null, value: native.length, configurable: true });
    defineProperty(object, name, { __proto__: null, value: guard, writable: true, enumerable: false, configurable: true });
  };

  // Lists. `amount` is what an element costs.
  const lists = (object, shown, names, most, amount) => {
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      const native = object[name];
      install(object, name, {
        [name](...args) {
          const length = this?.length;
          if (length > FEW) {
            if (length > most) refuse(`${shown}.prototype.${name}`, length, 'an array');
            work(length * amount);
          }
          return apply(native, this, args);
        },
      }[name], native);
    }
  };
  const array = Array.prototype;
  lists(array, 'Array', [
    'copyWithin', 'fill', 'includes', 'indexOf', 'join', 'lastIndexOf', 'reverse', 'shift', 'slice', 'sort', 'splice',
    'toLocaleString', 'toReversed', 'toSorted', 'toSpliced', 'toString', 'unshift', 'with',
  ], MOST, 1);
  const typed = getPrototypeOf(Uint8Array).prototype;
  lists(typed, 'TypedArray', ['join', 'sort', 'toLocaleString', 'toSorted'], MOST, 4);
  lists(typed, 'TypedArray', [
    'copyWithin', 'fill', 'includes', 'indexOf', 'lastIndexOf', 'reverse', 'slice', 'toReversed', 'with',
  ], Infinity, 1 / 8);

  const { concat, flat, flatMap } = array;
  install(array, 'concat', {
    concat(...lists) {
      let length = this?.length;
      for (let i = 0; i < lists.length; i++) if (typeof lists[i] === 'object') length += lists[i]?.length || 0;
      if (length > MOST) refuse('Array.prototype.concat', length, 'an array');
      if (length > FEW) work(length);
      return apply(concat, this, lists);
    },
  }.concat, concat);
  // Lists in lists, wherever they are.
  const flatten = (from, depth, to) => {
    const { length } = from;
    for (let i = 0; i < length; i++) {
      if (!(i in from)) continue;
      const value = from[i];
      if (depth >= 1 && isArray(value)) flatten(value, depth - 1, to);
      else defineProperty(to, to.length, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
    }
    return to;
  };
  install(array, 'flat', {
    flat(depth = 1) {
      return flatten(Object(this), trunc(+depth) || 0, []);
    },
  }.flat, flat);
  const { map } = array;
  install(array, 'flatMap', {
    flatMap(task, self) {
      return flatten(apply(map, this, [task, self]), 1, []);
    },
  }.flatMap, flatMap);

  // Texts. `this` may be anything that has a text; only texts themselves are measured.
  const string = String.prototype;
  const texts = (names, guard) => {
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      const native = string[name];
      install(string, name, {
        [name](first, second) {
          if (typeof this === 'string') guard(name, this.length, first);
          return apply(native, this, [first, second]);
        },
      }[name], native);
    }
  };
  const search = (name, length, needle) => {
    if (length <= FEW) return;
    const searched = typeof needle === 'string' ? length * (needle.length || 1) : length;
    if (searched > MOST_SEARCHED) long(`String.prototype.${name}`, needle.length);
    work(length / 4 + searched / 64);
  };
  const rewrite = (name, length) => {
    if (length <= FEW) return;
    if (length > MOST_TEXT) long(`String.prototype.${name}`, length);
    work(length);
  };
  texts(['includes', 'indexOf', 'lastIndexOf', 'replace'], search);
  texts(['replaceAll', 'split'], (name, length, needle) => {
    rewrite(name, length);
    search(name, length, needle);
  });
  texts([
    'localeCompare', 'normalize', 'toLocaleLowerCase', 'toLocaleUpperCase', 'toLowerCase', 'toUpperCase',
  ], rewrite);
  texts(['padEnd', 'padStart', 'repeat'], (name, length, count) => {
    const made = name === 'repeat' ? length * count : +count;
    if (made > FEW) work(made / 16);
  });

  // Patterns: reading one takes the square of its length.
  const pattern = (what, source) => {
    if (typeof source === 'string' && source.length > MOST_PATTERN) long(what, source.length);
  };
  texts(['match', 'matchAll', 'search'], (name, _, source) => pattern(`String.prototype.${name}`, source));
  const { compile } = RegExp.prototype;
  install(RegExp.prototype, 'compile', {
    compile(source, flags) {
      pattern('RegExp.prototype.compile', source);
      return apply(compile, this, [source, flags]);
    },
  }.compile, compile);
  const NativeRegExp = RegExp;
  const Guarded = new NativeProxy(NativeRegExp, {
    __proto__: null,
    apply(target, self, args) {
      pattern('RegExp', args[0]);
      return apply(target, self, args);
    },
    construct(target, args, made) {
      pattern('RegExp', args[0]);
      return construct(target, args, made === Guarded ? target : made);
    },
  });
  const hidden = { __proto__: null, value: Guarded, writable: true, enumerable: false, configurable: true };
  defineProperty(globalThis, 'RegExp', hidden);
  defineProperty(NativeRegExp.prototype, 'constructor', hidden);

  const { parse, stringify } = JSON;
  install(JSON, 'parse', {
    parse(text, revive) {
      if (typeof text === 'string' && text.length > FEW) {
        if (text.length > 4 * MOST_TEXT) long('JSON.parse', text.length);
        work(text.length);
      }
      return revive === undefined ? parse(text) : parse(text, revive);
    },
  }.parse, parse);
  install(JSON, 'stringify', {
    stringify(value, replace, space) {
      if (isArray(value) && value.length > MOST) refuse('JSON.stringify', value.length, 'an array');
      const text = stringify(value, replace, space);
      if (text?.length > FEW) work(text.length);
      return text;
    },
  }.stringify, stringify);
  const listers = ['entries', 'getOwnPropertyNames', 'keys', 'values'];
  for (let i = 0; i < listers.length; i++) {
    const name = listers[i];
    const native = Object[name];
    install(Object, name, {
      [name](object) {
        const list = native(object);
        if (list.length > FEW) work(list.length * 4);
        return list;
      },
    }[name], native);
  }
  const iterator = getPrototypeOf(getPrototypeOf([].values()));
  const { drop } = iterator;
  install(iterator, 'drop', {
    drop(count) {
      if (floor(count) > MOST) refuse('Iterator.prototype.drop', count, 'a list');
      return apply(drop, this, [count]);
    },
  }.drop, drop);
}
