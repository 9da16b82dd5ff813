// `Headers`: names in any case, values joined by commas, in the order of their names.
(host) => {
  'use strict';
  const { own } = host;
  const { String, TypeError, apply, hide, iterator, keys, removeAt, tag, uncurry } = own;
  const charCodeAt = uncurry(own.charCodeAt);
  const push = uncurry(own.arrayPush);
  const slice = uncurry(own.slice);
  const sort = uncurry(own.arraySort);
  const toLowerCase = uncurry(own.toLowerCase);

  const MARKS = "!#$%&'*+-.^_`|~";
  const isMark = (unit) => {
    for (let i = 0; i < MARKS.length; i++) if (charCodeAt(MARKS, i) === unit) return true;
    return false;
  };
  const isToken = (text) => {
    for (let i = 0; i < text.length; i++) {
      const unit = charCodeAt(text, i);
      const usual = (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122);
      if (!usual && !isMark(unit)) return false;
    }
    return text !== '';
  };
  const nameOf = (value) => {
    const name = String(value);
    if (!isToken(name)) throw new TypeError(`'${name}' is not the name of a header`);
    return toLowerCase(name);
  };
  const isSpace = (unit) => unit === 9 || unit === 10 || unit === 13 || unit === 32;
  const valueOf = (value, name) => {
    const text = String(value);
    let start = 0;
    let end = text.length;
    while (start < end && isSpace(charCodeAt(text, start))) start++;
    while (end > start && isSpace(charCodeAt(text, end - 1))) end--;
    for (let i = start; i < end; i++) {
      const unit = charCodeAt(text, i);
      if (unit === 0 || unit === 10 || unit === 13 || unit > 255) {
        throw new TypeError(`the header '${name}' cannot have a value with the character ${unit}`);
      }
    }
    return slice(text, start, end);
  };
  const need = (name, given, count) => {
    if (given < count) throw new TypeError(`Headers.${name} needs ${count === 1 ? 'an argument' : 'two arguments'}`);
  };
  // Names and values as they were given, for the host.
  let pairsOf;

  class Headers {
    #list = [];

    static {
      pairsOf = (headers) => headers.#list;
    }

    constructor(init = undefined) {
      if (init === undefined) return;
      if ((typeof init !== 'object' && typeof init !== 'function') || init === null) {
        throw new TypeError('Headers: the argument must be an object or a list of pairs');
      }
      if (#list in init) {
        const list = init.#list;
        for (let i = 0; i < list.length; i++) push(this.#list, [list[i][0], list[i][1]]);
        return;
      }
      const iterate = init[iterator];
      if (iterate === undefined || iterate === null) {
        const names = keys(init);
        for (let i = 0; i < names.length; i++) this.#append(names[i], init[names[i]]);
        return;
      }
      for (const pair of { [iterator]: () => apply(iterate, init, []) }) {
        const parts = [];
        for (const part of pair) push(parts, part);
        if (parts.length !== 2) throw new TypeError('Headers: every pair must be a list of a name and a value');
        this.#append(parts[0], parts[1]);
      }
    }

    #append(name, value) {
      const key = nameOf(name);
      push(this.#list, [key, valueOf(value, key)]);
    }

    #get(key) {
      let found = null;
      for (let i = 0; i < this.#list.length; i++) {
        if (this.#list[i][0] === key) found = found === null ? this.#list[i][1] : found + ', ' + this.#list[i][1];
      }
      return found;
    }

    #delete(key) {
      for (let i = this.#list.length - 1; i >= 0; i--) {
        if (this.#list[i][0] === key) removeAt(this.#list, i);
      }
    }

    // What a reader sees: each name once, but every cookie by itself.
    #sorted() {
      const names = [];
      for (let i = 0; i < this.#list.length; i++) {
        const name = this.#list[i][0];
        let known = false;
        for (let j = 0; j < names.length; j++) known ||= names[j] === name;
        if (!known) push(names, name);
      }
      sort(names, (a, b) => (a < b ? -1 : 1));
      const pairs = [];
      for (let i = 0; i < names.length; i++) {
        if (names[i] === 'set-cookie') {
          const cookies = this.#cookies();
          for (let j = 0; j < cookies.length; j++) push(pairs, [names[i], cookies[j]]);
        } else {
          push(pairs, [names[i], this.#get(names[i])]);
        }
      }
      return pairs;
    }

    #cookies() {
      const found = [];
      for (let i = 0; i < this.#list.length; i++) {
        if (this.#list[i][0] === 'set-cookie') push(found, this.#list[i][1]);
      }
      return found;
    }

    append(name, value) {
      need('append', arguments.length, 2);
      this.#append(name, value);
    }

    delete(name) {
      need('delete', arguments.length, 1);
      this.#delete(nameOf(name));
    }

    get(name) {
      need('get', arguments.length, 1);
      return this.#get(nameOf(name));
    }

    getSetCookie() {
      return this.#cookies();
    }

    has(name) {
      need('has', arguments.length, 1);
      return this.#get(nameOf(name)) !== null;
    }

    set(name, value) {
      need('set', arguments.length, 2);
      const key = nameOf(name);
      const text = valueOf(value, key);
      this.#delete(key);
      push(this.#list, [key, text]);
    }

    forEach(callback, self = undefined) {
      if (typeof callback !== 'function') throw new TypeError('Headers.forEach needs a function');
      const pairs = this.#sorted();
      for (let i = 0; i < pairs.length; i++) apply(callback, self, [pairs[i][1], pairs[i][0], this]);
    }

    *entries() {
      const pairs = this.#sorted();
      for (let i = 0; i < pairs.length; i++) yield pairs[i];
    }

    *keys() {
      const pairs = this.#sorted();
      for (let i = 0; i < pairs.length; i++) yield pairs[i][0];
    }

    *values() {
      const pairs = this.#sorted();
      for (let i = 0; i < pairs.length; i++) yield pairs[i][1];
    }
  }
  hide(Headers.prototype, iterator, Headers.prototype.entries);
  tag(Headers.prototype, 'Headers');

  return { Headers, isToken, pairsOf };
}
