// `URLSearchParams`: an ordered list of names and values. Text is read and printed in Rust.
(host) => {
  'use strict';
  const { own, native } = host;
  const { String, TypeError, apply, hide, iterator, keys, removeAt, tag, uncurry } = own;
  const charCodeAt = uncurry(own.charCodeAt);
  const push = uncurry(own.arrayPush);
  const slice = uncurry(own.slice);
  const sort = uncurry(own.arraySort);
  const toWellFormed = uncurry(own.toWellFormed);

  const usv = (value) => toWellFormed(String(value));
  const need = (name, given, count) => {
    if (given < count) throw new TypeError(`URLSearchParams.${name} needs ${count === 1 ? 'an argument' : 'two arguments'}`);
  };
  // What a URL with these parameters wants to know.
  let follow;
  let isParams;
  let reset;

  class URLSearchParams {
    // Pairs.
    #list = [];
    #changed;

    static {
      follow = (params, changed) => {
        params.#changed = changed;
      };
      isParams = (value) => typeof value === 'object' && value !== null && #list in value;
      reset = (params, query) => params.#read(query);
    }

    constructor(init = '') {
      if ((typeof init === 'object' && init !== null) || typeof init === 'function') {
        this.#take(init);
      } else {
        const text = usv(init);
        this.#read(text !== '' && charCodeAt(text, 0) === 63 ? slice(text, 1) : text);
      }
    }

    #take(init) {
      const iterate = init[iterator];
      if (iterate === undefined || iterate === null) {
        const names = keys(init);
        for (let i = 0; i < names.length; i++) this.#put(usv(names[i]), usv(init[names[i]]));
        return;
      }
      if (typeof iterate !== 'function') throw new TypeError('URLSearchParams: the argument is not iterable');
      for (const pair of { [iterator]: () => apply(iterate, init, []) }) {
        const parts = [];
        if ((typeof pair !== 'object' && typeof pair !== 'function') || pair === null || !pair[iterator]) {
          throw new TypeError('URLSearchParams: every pair must be a list of a name and a value');
        }
        for (const part of pair) push(parts, usv(part));
        if (parts.length !== 2) {
          throw new TypeError('URLSearchParams: every pair must be a list of a name and a value');
        }
        push(this.#list, parts);
      }
    }

    // A name that is there twice, once its lone surrogates are gone, has the last value.
    #put(name, value) {
      for (let i = 0; i < this.#list.length; i++) {
        if (this.#list[i][0] === name) {
          this.#list[i][1] = value;
          return;
        }
      }
      push(this.#list, [name, value]);
    }

    #read(query) {
      const parts = native.parse(query);
      this.#list = [];
      for (let i = 0; i < parts.length; i += 2) push(this.#list, [parts[i], parts[i + 1]]);
    }

    #tell() {
      this.#changed?.(this.#print());
    }

    get size() {
      return this.#list.length;
    }

    append(name, value) {
      need('append', arguments.length, 2);
      push(this.#list, [usv(name), usv(value)]);
      this.#tell();
    }

    delete(name, value = undefined) {
      need('delete', arguments.length, 1);
      const key = usv(name);
      const wanted = value === undefined ? undefined : usv(value);
      for (let i = this.#list.length - 1; i >= 0; i--) {
        const pair = this.#list[i];
        if (pair[0] === key && (wanted === undefined || pair[1] === wanted)) removeAt(this.#list, i);
      }
      this.#tell();
    }

    get(name) {
      need('get', arguments.length, 1);
      const key = usv(name);
      for (let i = 0; i < this.#list.length; i++) {
        if (this.#list[i][0] === key) return this.#list[i][1];
      }
      return null;
    }

    getAll(name) {
      need('getAll', arguments.length, 1);
      const key = usv(name);
      const found = [];
      for (let i = 0; i < this.#list.length; i++) {
        if (this.#list[i][0] === key) push(found, this.#list[i][1]);
      }
      return found;
    }

    has(name, value = undefined) {
      need('has', arguments.length, 1);
      const key = usv(name);
      const wanted = value === undefined ? undefined : usv(value);
      for (let i = 0; i < this.#list.length; i++) {
        const pair = this.#list[i];
        if (pair[0] === key && (wanted === undefined || pair[1] === wanted)) return true;
      }
      return false;
    }

    set(name, value) {
      need('set', arguments.length, 2);
      const key = usv(name);
      const text = usv(value);
      let found = false;
      for (let i = 0; i < this.#list.length; i++) {
        if (this.#list[i][0] !== key) continue;
        if (found) {
          removeAt(this.#list, i);
          i--;
        } else {
          this.#list[i][1] = text;
          found = true;
        }
      }
      if (!found) push(this.#list, [key, text]);
      this.#tell();
    }

    sort() {
      sort(this.#list, (a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
      this.#tell();
    }

    forEach(callback, self = undefined) {
      if (typeof callback !== 'function') throw new TypeError('URLSearchParams.forEach needs a function');
      for (let i = 0; i < this.#list.length; i++) apply(callback, self, [this.#list[i][1], this.#list[i][0], this]);
    }

    *entries() {
      for (let i = 0; i < this.#list.length; i++) yield [this.#list[i][0], this.#list[i][1]];
    }

    *keys() {
      for (let i = 0; i < this.#list.length; i++) yield this.#list[i][0];
    }

    *values() {
      for (let i = 0; i < this.#list.length; i++) yield this.#list[i][1];
    }

    #print() {
      const parts = [];
      for (let i = 0; i < this.#list.length; i++) push(parts, this.#list[i][0], this.#list[i][1]);
      return native.print(parts);
    }

    toString() {
      return this.#print();
    }
  }
  const { prototype } = URLSearchParams;
  hide(prototype, iterator, prototype.entries);
  tag(prototype, 'URLSearchParams');

  return { URLSearchParams, follow, isParams, reset };
}
