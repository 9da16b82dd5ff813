// `crypto`, as far as it is about random numbers. The bytes come from the host.
(host) => {
  'use strict';
  const { own, native, use } = host;
  const { DOMException, TypeError, isView, tag, uncurry } = own;
  const { bytesOf } = use('text');
  const typedName = uncurry(own.typedName);
  const typedBytes = uncurry(own.typedBytes);
  const typedSet = uncurry(own.typedSet);

  const MOST = 65536;
  const HEX = '0123456789abcdef';

  class Crypto {
    getRandomValues(array) {
      const name = isView(array) ? typedName(array) : undefined;
      if (name === undefined || name === 'Float16Array' || name === 'Float32Array' || name === 'Float64Array') {
        throw isView(array)
          ? new DOMException('getRandomValues: the argument must be an array of integers', 'TypeMismatchError')
          : new TypeError('getRandomValues: the argument must be a typed array of integers');
      }
      const length = typedBytes(array);
      if (length > MOST) {
        throw new DOMException(`getRandomValues: ${length} bytes are more than ${MOST}`, 'QuotaExceededError');
      }
      typedSet(bytesOf(array), native.bytes(length));
      return array;
    }

    randomUUID() {
      const bytes = native.bytes(16);
      bytes[6] = (bytes[6] & 0x0f) | 0x40;
      bytes[8] = (bytes[8] & 0x3f) | 0x80;
      let text = '';
      for (let i = 0; i < 16; i++) {
        if (i === 4 || i === 6 || i === 8 || i === 10) text += '-';
        text += HEX[bytes[i] >> 4] + HEX[bytes[i] & 15];
      }
      return text;
    }
  }
  tag(Crypto.prototype, 'Crypto');

  return { crypto: new Crypto() };
}
