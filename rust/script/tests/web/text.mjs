// Prints `corpus/text.json`: what Node makes of bytes and of text. Run as `node text.mjs > corpus/text.json`, only when
// inputs change.
const labels = [
  'utf-8', 'UTF8', ' utf-8\n', 'unicode-1-1-utf-8', 'utf-16', 'utf-16le', 'UTF-16LE', 'ucs-2', 'utf-16be', 'latin1', 'iso-8859-1', 'ascii', 'us-ascii',
  'windows-1252', 'cp1252', 'l1', '', 'utf', 'utf-7', 'utf-32', 'nonsense', 'utf-8\u0000', 'utf-8\u00a0',
];
const bytes = {
  'utf-8': [
    '', '61', '616263', 'c3a4', 'e282ac', 'f09f9880', 'efbbbf61', 'efbbbfefbbbf', 'efbbbf', 'efbb', '61efbbbf', '00', '7f', '80', 'bf', 'c0', 'c080', 'c1bf', 'c2', 'c241',
    'c2c3a4', 'e0', 'e080', 'e08080', 'e09f80', 'e0a0', 'e0a080', 'e1', 'e180', 'e1808041', 'e18041', 'eda080', 'edbfbf', 'ed9fbf', 'ee8080', 'efbfbd', 'efbfbf', 'f0', 'f08080', 'f0808080', 'f09f',
    'f09f98', 'f09f9841', 'f09f98f09f9880', 'f0908080', 'f48fbfbf', 'f4908080', 'f5808080', 'f8888080', 'fe', 'ff', 'fffe', '61ff62', '61c362', 'c3a4c3', 'e282e282ac', 'f09ff09f', 'eda0bdedb880',
  ],
  'utf-16le': [
    '', '6100', '61', '610062', 'fffe6100', 'feff0061', 'fffe', 'ff', '3dd800de', '3dd8', '3dd86100', '00de', '00de3dd8', '3dd83dd800de', '3dd800', '3dd800de61', 'ac20', 'fdff', '0000', '6100fffe', 'ffdb', 'ffdbffdf', '61003d',
  ],
  'utf-16be': ['', '0061', 'feff0061', 'd83dde00', 'd83d', 'de00', '00', '20ac'],
  // Node 20 takes Latin-1 for what the standard says is Windows-1252, and forgets ff at times, so these bytes are in `web.rs`.
  latin1: ['', '61', 'e4', 'e9', 'a0', '00', 'efbbbf', 'c3a4', '7f', 'a1bf'],
};
const texts = ['', 'abc', 'ä', '€', '😀', 'a\u0000b', '\ud800', '\udc00', 'a\ud83d', '\ud83da', '\udc00\ud800', '\ud83d\ude00\ud83d', '\ufeff', '\uffff', '\u07ff\u0800', '\u{10ffff}'];
const queries = [
  '', '?', 'a', 'a=', '=a', '=', '&', 'a&b', 'a=b&c=d', '?a=b', '??a', 'a=b=c', 'a+b=c+d', '%61=%62', 'a=%', 'a=%zz', 'a=%ff', 'a=%C3%A4', 'ä=ö', 'a&&b', 'a;b', '\ud800=\udc00', 'a=%EF%BB%BF', "!'()~*-._=x", 'a=1&a=2&b=3&a=4',
  'a=%00', 'a=\n', '+=+', '%2B=%26', '😀=😀', '#a', 'z=1&y=2&\uffff=3&😀=4&z=0',
];

const hex = (array) => Buffer.from(array).toString('hex');
const outcome = (make) => {
  try {
    return { is: make() };
  } catch (error) {
    return { throws: error.name };
  }
};
const decoded = (label, input, options, cuts) => outcome(() => {
  const decoder = new TextDecoder(label, options);
  const all = Buffer.from(input, 'hex');
  if (!cuts) return decoder.decode(all);
  const parts = [];
  for (const byte of all) parts.push(decoder.decode(Uint8Array.of(byte), { stream: true }));
  parts.push(decoder.decode());
  return parts;
});
const decode = [];
for (const [label, inputs] of Object.entries(bytes)) {
  for (const input of inputs) {
    const plain = decoded(label, input, {}, false);
    const fatal = decoded(label, input, { fatal: true }, false);
    const marked = decoded(label, input, { ignoreBOM: true }, false);
    // How a decoder cuts its output is its own affair; what it is in the end is not.
    const joined = decoded(label, input, {}, true);
    if (joined.is) joined.is = joined.is.join('');
    decode.push([label, input, plain, fatal, marked, joined]);
  }
}
const encode = texts.map((text) => [text, hex(new TextEncoder().encode(text))]);
const into = texts.flatMap((text) => [0, 1, 2, 3, 4, 5].map((room) => {
  const target = new Uint8Array(room);
  const { read, written } = new TextEncoder().encodeInto(text, target);
  return [text, room, read, written, hex(target)];
}));
const params = queries.map((query) => {
  const list = new URLSearchParams(query);
  const sorted = new URLSearchParams(query);
  sorted.sort();
  return [query, [...list], `${list}`, `${sorted}`];
});

const ascii = (value) => JSON.stringify(value).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const lines = (rows) => rows.map((row) => `    ${ascii(row)}`).join(',\n');
const tables = { labels: labels.map((label) => [label, outcome(() => new TextDecoder(label).encoding)]), decode, encode, into, params };
console.log(`{\n${Object.entries(tables).map(([name, rows]) => `  "${name}": [\n${lines(rows)}\n  ]`).join(',\n')}\n}`);
