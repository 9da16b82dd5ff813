// `TextEncoder` and `TextDecoder`. The work is done in Rust; here is what callers see.
(host) => {
  'use strict';
  const { own, native } = host;
  const { String, TypeError, Uint8Array, isView, tag, uncurry } = own;
  const bufferLength = uncurry(own.bufferLength);
  const sharedLength = uncurry(own.sharedLength);
  const toWellFormed = uncurry(own.toWellFormed);
  const slice = uncurry(own.slice);
  const charCodeAt = uncurry(own.charCodeAt);
  const typedBuffer = uncurry(own.typedBuffer);
  const typedBytes = uncurry(own.typedBytes);
  const typedName = uncurry(own.typedName);
  const typedSet = uncurry(own.typedSet);
  const typedStart = uncurry(own.typedStart);
  const viewBuffer = uncurry(own.viewBuffer);
  const viewLength = uncurry(own.viewLength);
  const viewStart = uncurry(own.viewStart);

  const is = (brand, value) => {
    try {
      brand(value);
      return true;
    } catch {
      return false;
    }
  };

  // The bytes of a buffer or a view, not copied; undefined for anything else.
  const bytesOf = (value) => {
    if (typeof value !== 'object' || value === null) return undefined;
    if (isView(value)) {
      return typedName(value) === undefined
        ? new Uint8Array(viewBuffer(value), viewStart(value), viewLength(value))
        : new Uint8Array(typedBuffer(value), typedStart(value), typedBytes(value));
    }
    return is(bufferLength, value) || is(sharedLength, value) ? new Uint8Array(value) : undefined;
  };
  const usv = (value) => toWellFormed(String(value));
  const encode = (text) => native.encode(usv(text));

  class TextEncoder {
    get encoding() {
      return 'utf-8';
    }

    encode(text = '') {
      return encode(text);
    }

    encodeInto(source, destination) {
      const text = usv(source);
      if (!isView(destination) || typedName(destination) !== 'Uint8Array') {
        throw new TypeError('encodeInto: the second argument must be a Uint8Array');
      }
      const room = typedBytes(destination);
      let read = 0;
      let written = 0;
      while (read < text.length) {
        const unit = charCodeAt(text, read);
        const size = unit < 0x80 ? 1 : unit < 0x800 ? 2 : unit >= 0xd800 && unit < 0xdc00 ? 4 : 3;
        if (written + size > room) break;
        written += size;
        read += size === 4 ? 2 : 1;
      }
      typedSet(destination, native.encode(slice(text, 0, read)));
      return { read, written };
    }
  }

  class TextDecoder {
    #encoding;
    #fatal;
    #ignoreBOM;
    // The beginning of a character whose end has not come yet.
    #left = new Uint8Array(0);
    #begun = false;

    constructor(label = 'utf-8', options = undefined) {
      this.#encoding = native.label(usv(label));
      this.#fatal = !!options?.fatal;
      this.#ignoreBOM = !!options?.ignoreBOM;
    }

    get encoding() {
      return this.#encoding;
    }

    get fatal() {
      return this.#fatal;
    }

    get ignoreBOM() {
      return this.#ignoreBOM;
    }

    decode(input = undefined, options = undefined) {
      const stream = !!options?.stream;
      let bytes = input === undefined ? new Uint8Array(0) : bytesOf(input);
      if (bytes === undefined) throw new TypeError('decode: the argument must be an ArrayBuffer or a view of one');
      if (typedBytes(this.#left) > 0) {
        const whole = new Uint8Array(typedBytes(this.#left) + typedBytes(bytes));
        typedSet(whole, this.#left);
        typedSet(whole, bytes, typedBytes(this.#left));
        bytes = whole;
      }
      const most = typedBytes(bytes);
      const cut = most - (stream ? native.unfinished(this.#encoding, bytes) : 0);
      const begun = this.#begun;
      let text = native.decode(this.#encoding, new Uint8Array(typedBuffer(bytes), typedStart(bytes), cut), this.#fatal);
      if (text === null) {
        this.#left = new Uint8Array(0);
        this.#begun = false;
        throw new TypeError(`the bytes are not valid ${this.#encoding}`);
      }
      // A copy, since the caller may use the buffer again.
      this.#left = new Uint8Array(most - cut);
      if (cut < most) typedSet(this.#left, new Uint8Array(typedBuffer(bytes), typedStart(bytes) + cut, most - cut));
      this.#begun = stream && (begun || text !== '');
      const marked = !begun && !this.#ignoreBOM && this.#encoding !== 'windows-1252';
      if (marked && text !== '' && charCodeAt(text, 0) === 0xfeff) text = slice(text, 1);
      return text;
    }
  }
  tag(TextEncoder.prototype, 'TextEncoder');
  tag(TextDecoder.prototype, 'TextDecoder');

  return { TextEncoder, TextDecoder, bytesOf, encode };
}
