// `URL`. Reading, printing and changing URLs is done in Rust; here is the class.
(host) => {
  'use strict';
  const { own, native, use } = host;
  const { String, TypeError, defineProperty, tag, uncurry } = own;
  const { URLSearchParams, follow, reset } = use('params');
  const normalize = uncurry(own.normalize);
  const slice = uncurry(own.slice);
  const toWellFormed = uncurry(own.toWellFormed);

  const usv = (value) => toWellFormed(String(value));
  const nfkc = (text) => normalize(text, 'NFKC');
  const parse = (url, base) => native.parse(usv(url), base === undefined ? undefined : usv(base), nfkc);
  const must = (url, base) => {
    const parts = parse(url, base);
    if (parts) return parts;
    const error = new TypeError(base === undefined ? `Invalid URL: '${url}'` : `Invalid URL: '${url}' with base '${base}'`);
    error.code = 'ERR_INVALID_URL';
    error.input = usv(url);
    throw error;
  };
  const query = (parts) => (parts[9] === '' ? '' : slice(parts[9], 1));

  // The place of each part in what Rust gives.
  const names = ['origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'];
  let read;
  let write;

  class URL {
    #parts;
    #params;

    static {
      read = (url, at) => url.#parts[at];
      write = (url, name, value) => url.#change(name, usv(value));
    }

    static canParse(url, base = undefined) {
      return !!parse(url, base);
    }

    static parse(url, base = undefined) {
      return parse(url, base) ? new URL(url, base) : null;
    }

    constructor(url, base = undefined) {
      if (arguments.length === 0) throw new TypeError('URL needs an argument');
      this.#parts = must(url, base);
    }

    #change(name, value) {
      this.#parts = native.change(this.#parts[0], name, value, nfkc) ?? this.#parts;
      if (name === 'search' && this.#params) reset(this.#params, query(this.#parts));
    }

    get href() {
      return this.#parts[0];
    }

    set href(value) {
      this.#parts = must(value, undefined);
      if (this.#params) reset(this.#params, query(this.#parts));
    }

    get searchParams() {
      if (!this.#params) {
        this.#params = new URLSearchParams(query(this.#parts));
        // The constructor takes a question mark away, which here is part of the first name.
        reset(this.#params, query(this.#parts));
        follow(this.#params, (text) => {
          this.#parts = native.change(this.#parts[0], 'search', text, nfkc) ?? this.#parts;
        });
      }
      return this.#params;
    }

    toString() {
      return this.#parts[0];
    }

    toJSON() {
      return this.#parts[0];
    }
  }
  for (let i = 0; i < names.length; i++) {
    const name = names[i];
    const accessor = {
      get [name]() {
        return read(this, i + 1);
      },
      set [name](value) {
        write(this, name, value);
      },
    };
    const { get, set } = own.getOwnPropertyDescriptor(accessor, name);
    const part = { __proto__: null, get, set: name === 'origin' ? undefined : set, enumerable: true, configurable: true };
    defineProperty(URL.prototype, name, part);
  }
  tag(URL.prototype, 'URL');

  return { URL };
}
