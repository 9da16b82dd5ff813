import { same, throws } from './check.js';

export const cases = {
  'encoder': () => {
    const encoder = new TextEncoder();
    same([encoder.encoding, encoder.encode('aä€😀')], ['utf-8', Uint8Array.of(97, 195, 164, 226, 130, 172, 240, 159, 152, 128)]);
    same([encoder.encode(), encoder.encode(undefined), encoder.encode(null)], [new Uint8Array(0), new Uint8Array(0), Uint8Array.of(110, 117, 108, 108)]);
    same(encoder.encode('x').constructor === Uint8Array, true);
    same(Object.prototype.toString.call(encoder), '[object TextEncoder]');
    throws(() => TextEncoder(), 'TypeError');
    throws(() => encoder.encodeInto('x', [1]), 'TypeError');
  },
  'encodeInto writes into a part': () => {
    const all = new Uint8Array(6).fill(1);
    same(new TextEncoder().encodeInto('ää', all.subarray(1, 4)), { read: 1, written: 2 });
    same(all, Uint8Array.of(1, 195, 164, 1, 1, 1));
  },
  'decoder': () => {
    const decoder = new TextDecoder();
    same([decoder.encoding, decoder.fatal, decoder.ignoreBOM], ['utf-8', false, false]);
    const strict = new TextDecoder('utf-8', { fatal: 1, ignoreBOM: 'yes' });
    same([strict.fatal, strict.ignoreBOM], [true, true]);
    same([decoder.decode(), decoder.decode(undefined), decoder.decode(new ArrayBuffer(0))], ['', '', '']);
    throws(() => new TextDecoder('nonsense'), 'RangeError');
    throws(() => decoder.decode('text'), 'TypeError');
    throws(() => decoder.decode(5), 'TypeError');
    throws(() => strict.decode(Uint8Array.of(255)), 'TypeError');
    same(strict.decode(Uint8Array.of(97)), 'a');
  },
  'all kinds of views': () => {
    const { buffer } = new TextEncoder().encode('..hello!');
    const decoder = new TextDecoder();
    same(decoder.decode(buffer), '..hello!');
    same(decoder.decode(new Uint8Array(buffer, 2, 5)), 'hello');
    same(decoder.decode(new DataView(buffer, 2)), 'hello!');
    same(decoder.decode(new Uint16Array(buffer, 2, 1)), 'he');
    same(decoder.decode(new Float64Array(buffer)), '..hello!');
  },
  'streams': () => {
    const decoder = new TextDecoder();
    const bytes = new TextEncoder().encode('\ufeffaä€😀');
    let text = '';
    for (let i = 0; i < bytes.length; i += 2) text += decoder.decode(bytes.subarray(i, i + 2), { stream: true });
    same(text + decoder.decode(), 'aä€😀');
    same(decoder.decode(Uint8Array.of(0xe2, 0x82), { stream: true }), '');
    same(decoder.decode(), '\ufffd');
    same(decoder.decode(Uint8Array.of(0xef, 0xbb, 0xbf, 97)), 'a');
  },
  'a stream does not keep the buffer': () => {
    const decoder = new TextDecoder();
    const bytes = Uint8Array.of(0xe2, 0x82);
    decoder.decode(bytes, { stream: true });
    bytes.fill(65);
    same(decoder.decode(Uint8Array.of(0xac)), '€');
  },
  'a fatal stream': () => {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    same(decoder.decode(Uint8Array.of(0xe2), { stream: true }), '');
    throws(() => decoder.decode(), 'TypeError');
    same(decoder.decode(Uint8Array.of(97)), 'a');
  },
  'utf-16 in pieces': () => {
    const decoder = new TextDecoder('utf-16le');
    const seen = [[0x3d], [0xd8, 0x00], [0xde, 0x61], [0x00]].map((part) => decoder.decode(Uint8Array.from(part), { stream: true }));
    same(seen.join('') + decoder.decode(), '😀a');
  },
  'there and back': () => {
    const text = 'The quick brown 🦊 jumps — über «den» Hund, 犬\u0000\n';
    same(new TextDecoder().decode(new TextEncoder().encode(text)), text);
    const long = text.repeat(5000);
    same(new TextDecoder().decode(new TextEncoder().encode(long)) === long, true);
  },
  'base64': () => {
    same([btoa('hello'), atob('aGVsbG8='), btoa(''), atob(''), atob(' aGVs bG8 '), btoa('\u00ff')], ['aGVsbG8=', 'hello', '', '', 'hello', '/w==']);
    throws(() => btoa('€'), 'InvalidCharacterError');
    throws(() => atob('a'), 'InvalidCharacterError');
    throws(() => atob('****'), 'InvalidCharacterError');
  },
  'random UUIDs': () => {
    const seen = new Set();
    for (let i = 0; i < 200; i++) {
      const id = crypto.randomUUID();
      same(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id), true);
      seen.add(id);
    }
    same(seen.size, 200);
  },
  'random values': () => {
    const array = new Uint32Array(64);
    same(crypto.getRandomValues(array) === array, true);
    same(new Set(array).size > 60, true);
    const bytes = crypto.getRandomValues(new Uint8Array(65536));
    const counts = new Array(256).fill(0);
    for (const byte of bytes) counts[byte]++;
    same(counts.every((count) => count > 128 && count < 512), true);
    same(crypto.getRandomValues(new BigUint64Array(2)).length, 2);
    same(crypto.getRandomValues(new Int8Array(0)).length, 0);
  },
  'random values into a part': () => {
    const all = new Uint8Array(64);
    crypto.getRandomValues(all.subarray(32));
    same(all.subarray(0, 32).every((byte) => byte === 0), true);
    same(all.subarray(32).some((byte) => byte !== 0), true);
  },
  'random values into something else': () => {
    throws(() => crypto.getRandomValues(new Float32Array(1)), 'TypeMismatchError');
    throws(() => crypto.getRandomValues(new Float64Array(1)), 'TypeMismatchError');
    throws(() => crypto.getRandomValues(new Uint8Array(65537)), 'QuotaExceededError');
    // Node says it is a mismatch of types.
    const name = globalThis.process ? 'TypeMismatchError' : 'TypeError';
    throws(() => crypto.getRandomValues([1]), name);
  },
  'tags': () => {
    same([`${new TextDecoder()}`, `${crypto}`], ['[object TextDecoder]', '[object Crypto]']);
  },
};
