// Prints `corpus/urls.json`: what Node makes of URLs. Run as `node urls.mjs > corpus/urls.json`, only when inputs change.
const PARTS = ['href', 'origin', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'];

const bases = [
  'http://example.org/foo/bar?q=1#f', 'https://user:pw@host.example:8080/a/b/c/', 'file:///tmp/mock/path', 'file:///C:/a/b',
  'file://server/share/x', 'custom://host/a/b?x#y', 'custom:/a/b', 'mailto:someone@example.com', 'about:blank',
  'non-special:opaque/path?q',
];
const relatives = [
  '', '.', '..', './', '../', '../..', '../../../x', './y', 'z', '/', '/abs', '//other/x', '//', '///x', '\\x', '\\\\h\\x',
  '?', '?new', '?a#b', '#', '#frag', 'http:x', 'http:/x', 'http://x', 'http:', 'https:x', 'file:x', 'file:', 'file:/x',
  'file://x/y', 'file:///y', 'C|/x', 'C:', 'C:/..', '/C:/', '/C|/..', '//C:/x', 'a/./b', 'a/../b', 'a/%2e/b', 'a/%2E%2e/b',
  'a/.%2e', 'x?y?z', 'x#y#z', ' x ', '\tx\n', 'a\tb', 'mailto:x', 'custom:x', ':', ':x', '1:x', 'a b', 'a:b', '@', '//@', '..a',
  '...', '%', '%zz', '%41', 'ä', '😀', '\ud800', '%C3%A4', '[', ']', '//[::1]', '//[', '/..//x', '/.//x', '/%2e%2e/x',
];
const alone = [
  // Schemes and slashes.
  'http://example.com', 'HTTP://EXAMPLE.COM/Path', 'http:example.com', 'http:/example.com', 'http:///example.com',
  'http:////example.com', 'http:\\\\example.com\\x', 'https://a', 'ws://a:80/', 'wss://a:443', 'ftp://a:21/x', 'ftp://a:22',
  'http://', 'http:', 'http:/', 'https://?x', 'https://#x', 'file:', 'file:/', 'file://', 'file:///', 'file:a', 'file:C:/x',
  'file://C:/x', 'file:///C|/x/../..', 'file://localhost/x', 'file://LOCALHOST', 'file://host/x', 'file:\\\\h\\x', 'file:?q',
  'file:#f', 'file://a:80/x', 'file://u@h/', 'a:', 'a:b', 'a:/b', 'a://b', 'a:///b', 'a:////b', 'a+b-c.1:x', '1a:x', '+a:x',
  'javascript:alert(1)', 'data:text/plain,Hello World?x#y z', 'data: x  ', 'urn:isbn:0', 'mailto:a@b.c?subject=x y',
  'tel:+49 123', 'blob:https://a.com:443/uuid', 'blob:http://a:1/x', 'blob:ftp://a/', 'blob:x', 'about:blank', 'about:', 'about:?x',
  'web+demo:/.//not-a-host/', 'web+demo:/..//p', 'custom:/x/../y', 'custom://h/../y', 'custom://h', 'custom://h?x', 'custom://h#x',
  'custom://', 'custom:///', 'custom://?', 'custom://u:p@h:9/x', 'custom://h:/x', 'custom://:80/', 'custom://u@/', 'custom://H%41x/',
  'custom://ä/', 'custom://a b/', 'custom://a^b/', 'custom://a|b', 'custom://a<b', 'custom://[::1]:8/', 'custom://1.2.3/', 'custom:x\\y',
  'custom://h\\x', 'trailblaze://open/item/42?from=push', 'app.scheme://x', 'intent://scan/#Intent;scheme=zxing;end', 'x',
  '', ' ', '//a', '/a', '?', '#', 'example.com', 'example.com:80', 'localhost:3000', 'localhost:3000/x',
  // White space and controls.
  '  http://a/  ', '\u0000http://a/\u001f', 'ht\ntp://a\t/b\rc', 'http://a/\u0001', 'http://a/\u007f', 'http://a b/', 'http://a/ b',
  'http://a/?b c', 'http://a/#b c', 'http://a\u00a0b/', 'http://a/\u00a0',
  // Credentials.
  'http://u@h/', 'http://u:@h/', 'http://:p@h/', 'http://:@h/', 'http://@h/', 'http://u:p:q@h/', 'http://a@b@h/', 'http://u%3Ap@h',
  "http://!$&'()*+,;=:~-._@h/", 'http://<>"`{}|^[]@h/', 'http://ü:ö@h/', 'http://u@/', 'http://u:p@', 'http://user@:80/', 'http://a:b@c:d',
  // Ports.
  'http://h:80', 'http://h:0', 'http://h:00080', 'http://h:65535', 'http://h:65536', 'http://h:999999', 'http://h:', 'http://h:/x',
  'http://h:8a', 'http://h:-1', 'http://h: 80', 'https://h:80', 'https://h:443/', 'http://:80', 'http://h:8\t0',
  // IPv4.
  'http://1.2.3.4', 'http://1.2.3', 'http://1.2', 'http://1', 'http://256', 'http://0x7f.1', 'http://0x7F000001', 'http://017700000001',
  'http://0', 'http://0x', 'http://0x.0x.0', 'http://1.2.3.256', 'http://256.1.1.1', 'http://1.2.3.4.5', 'http://1.2.3.4.', 'http://1.2.3.4..',
  'http://4294967295', 'http://4294967296', 'http://08', 'http://1.2.3.08', 'http://1.2.3.x', 'http://a.1', 'http://a.0x1', 'http://1.a',
  'http://1..2', 'http://.1', 'http://0xg', 'http://foo.0x', 'http://１.２.３.４', 'http://%31.2.3.4', 'http://10000000000', 'http://1.0xffffff',
  'http://1.0x1000000', 'http://00.00.00.00', 'http://99999999999999999999',
  // IPv6.
  'http://[::]', 'http://[::1]', 'http://[1::]', 'http://[1:2:3:4:5:6:7:8]', 'http://[1:2:3:4:5:6:7:8:9]', 'http://[1:2:3:4:5:6:7]',
  'http://[1::2::3]', 'http://[::1.2.3.4]', 'http://[::ffff:1.2.3.4]', 'http://[1.2.3.4]', 'http://[::1.2.3]', 'http://[::1.2.3.256]',
  'http://[::01.2.3.4]', 'http://[0:0:1:0:0:0:1:0]', 'http://[1:0:0:1:0:0:1:1]', 'http://[1:0:1:0:1:0:1:0]', 'http://[ABCD::EF01]',
  'http://[::12345]', 'http://[::g]', 'http://[::1', 'http://::1]', 'http://[]', 'http://[:]', 'http://[:1]', 'http://[1:]', 'http://[::1]x',
  'http://[::1]:80', 'http://[::1]:8080/x', 'http://[fe80::1%25eth0]', 'http://[fe80::1%eth0]', 'http://[::%31]', 'http://u:p@[::1]:9/',
  'http://[1:2:3:4:5:6:1.2.3.4]', 'http://[1:2:3:4:5:6:7:1.2.3.4]', 'http://[1:2:3:4:5:6:7::]', 'http://[::2:3:4:5:6:7:8]', 'http://[0:0::0:0]',
  // Names.
  'http://EXAMPLE.com.', 'http://a..b', 'http://.a', 'http://.', 'http://..', 'http://a.', 'http://a_b', 'http://-a-', 'http://a%2eb', 'http://%61',
  'http://a%00b', 'http://a%', 'http://a%zz', 'http://a%25b', 'http://a%2fb', 'http://a%3Ab', 'http://a%20b', 'http://a%C3%BCb', 'http://a%ff',
  'http://a<b', 'http://a>b', 'http://a^b', 'http://a|b', 'http://a`b', 'http://a{b}', 'http://a"b', "http://a'b", 'http://a!b', 'http://a*b',
  'http://a~b', 'http://a,b', 'http://a;b', 'http://a=b', 'http://a+b', 'http://a$b', 'http://a&b', 'http://a(b)', 'http://a\\b', 'http://a[b]',
  // Names outside ASCII.
  'http://bücher.example', 'http://BÜCHER.example', 'http://bu\u0308cher.example', 'http://faß.de', 'http://straße.example/', 'http://ελλάς.gr',
  'http://ΣΊΣΥΦΟΣ.gr', 'http://σίσυφος.gr', 'http://münchen.de:8080/ä', 'http://日本語.jp', 'http://例え。テスト', 'http://例え．テスト', 'http://例え｡テスト',
  'http://中国', 'http://россия.рф', 'http://ВОДА.рф', 'http://한국.kr', 'http://☃.net', 'http://😀.com', 'http://💩', 'http://ｅｘａｍｐｌｅ.com', 'http://①②.x',
  'http://a\u00adb', 'http://\u00ad', 'http://a\u200bb', 'http://a\u2060b', 'http://x\ufe0f.y', 'http://K.com', 'http://ﬁ.com', 'http://℃.x', 'http://İ.x', 'http://ı.x',
  'http://xn--bcher-kva.example', 'http://XN--BCHER-KVA.example', 'http://xn--', 'http://xn--a', 'http://xn--zzzzzzzzzzzz99999', 'http://xn--abc-',
  'http://xn--mnchen-3ya.de', 'http://a.xn--fa-hia', 'http://ä.ö.ü', 'http://à', 'http://a\ufffdb', 'http://\ud800', 'http://a\ue000b', 'http://a\u3000b',
  'http://％４１.com', 'http://a／b', 'http://a：b', 'http://xn--ls8h.la', 'http://ñandú.es', 'http://ÀÉÎ.fr', 'http://đ.vn', 'http://ąęć.pl',
  // Paths.
  'http://h/a/b/../c', 'http://h/..', 'http://h/../..', 'http://h/a/..', 'http://h/a/../', 'http://h/a/.', 'http://h/a/./', 'http://h/./.', 'http://h//',
  'http://h//a//', 'http://h/a//../b', 'http://h/%2e%2e/a', 'http://h/a/%2e', 'http://h/.%2E/', 'http://h/....', 'http://h/a\\b\\..\\c', 'http://h/;x=1',
  'http://h/<>"`{}|^[]~!$&\'()*+,;=:@', 'http://h/%7Ea%7e', 'http://h/%', 'http://h/%1', 'http://h/ä/😀', 'http://h/\ud83d', 'http://h/a?b/../c', 'http://h/a#/../b',
  'custom://h/<>"`{}|^[]\\', 'custom:/<>"`{}|^[]', 'custom:<>"`{}|^[] x', 'file:///a/../../b', 'file:///C:/../x', 'file:///c|', 'file:///c|/', 'file:///1:/', 'file:////a',
  // Queries and fragments.
  'http://h?', 'http://h#', 'http://h?#', 'http://h?a=b&c=d', 'http://h/?<>"`{}|^[]\'#<>"`{}|^[]\'', 'custom://h/?<>"`{}|^[]\'#<>"`{}|^[]\'', 'http://h/?ä#ö', 'http://h/?a?b#c#d',
  'http://h/?%zz%41', 'http://h/?a+b c', 'http://h/?\ud800', 'http://h?a\nb', 'http://h/?\u0000', 'http://h/#\u0000', 'custom:o?q#f', 'custom:o  ?q', 'custom:o  #f',
];

const own = [
  ['http://example.net:8080/a/b?q#f', {
    protocol: ['https', 'https:', 'HTTPS://x', 'ftp', 'file', 'custom', '', 'h\nttps', '1x', 'ht tp', 'wss:443'],
    username: ['', 'me', 'a:b@c', 'ü', '%41%zz'], password: ['', 'secret', 'a:b@c/', 'ö'],
    host: ['', 'x', 'x:1', 'x:', 'x:99999', 'x:8a', 'X:80/y', '[::1]:2', '[::1', 'a b', 'ä.de', 'x?y', 'x\\y', ':9', 'u@x', '1.2', 'x:a'],
    hostname: ['', 'x', 'x:1', ':1', '[::1]', '[::1]:2', 'a b', 'faß.de', '0x7f.1', 'x/y', 'x#y', 'x@y', '1.2.3.4.5'],
    port: ['', '80', '9090', '090', '65536', '12ab', 'ab', '-1', ' 7', '7 ', '\t7', '0', '1.5', '9/8'],
    pathname: ['', '/', 'x', '/x/../y', '?', '#', '/a?b#c', 'ä', '\\x\\y', '..', '//x', '%2e%2e/z', 'a b', '{}^|'],
    search: ['', '?', 'a', '?a', '??a', 'a#b', "'", 'ä b', '&&', '%zz'], hash: ['', '#', 'a', '#a', '##a', 'ä b', '`<>', '%zz'],
    href: ['http://other/x', 'nonsense', 'mailto:x'],
  }],
  ['https://u:p@h/', { protocol: ['http', 'file'], host: ['', 'x:443', 'x:80'], port: ['443', '80'], username: [''], password: [''] }],
  ['http://h:443/', { protocol: ['https'] }],
  ['file:///C:/x', {
    protocol: ['http'], host: ['h', 'h:1', 'localhost', '', 'ä'], hostname: ['h', 'localhost', ''], port: ['1'], username: ['u'], password: ['p'],
    pathname: ['', '/', 'D|/y', '..', '/C:/..'], search: ['x'], hash: ['x'],
  }],
  ['file://h/x', { protocol: ['http', 'custom'], host: ['', 'localhost'] }],
  ['custom://h:1/a', {
    protocol: ['http', 'other', 'other:'], host: ['', 'x', 'x:2', 'a b', 'ä', 'X', 'x\\y', '1.2'], hostname: ['', 'x', 'x:2'], port: ['', '80', 'x'], username: ['u'],
    pathname: ['', 'x', '/x', '\\x', '..', '//y', '^'], search: ["'", ''], hash: ['x'],
  }],
  ['custom:/a', { host: ['h', ''], port: ['1'], username: ['u'], pathname: ['', '//x', 'y', '/.//z'], hostname: ['h'] }],
  ['mailto:x@y', { protocol: ['http', 'news'], host: ['h'], hostname: ['h'], port: ['1'], username: ['u'], pathname: ['z'], search: ['q'], hash: ['f'] }],
  ['custom://h', { pathname: ['', 'x'], hostname: [''], search: ['a'] }],
  ['custom:///p', { hostname: ['', 'h'], host: ['h:1'], port: ['1'], username: ['u'] }],
];

const show = (make) => {
  try {
    const url = make();
    return PARTS.map((part) => url[part]);
  } catch (error) {
    if (error.code !== 'ERR_INVALID_URL') throw error;
    return null;
  }
};
// Lone surrogates stay escapes, and everything else outside ASCII too, so that the file reads the same everywhere.
const ascii = (value) => JSON.stringify(value).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const lines = (rows) => rows.map((row) => `    ${ascii(row)}`).join(',\n');

// Where Node 20 is not what the standard says: the URL that it should have been, or null for none.
const corrected = (input, base) => {
  if (base === null) {
    if (input === 'http://xn--abc-') return null;
    return /^\w+:(\/\/h)?\/<.*\^/.test(input) ? input.replace('^', '%5E') : undefined;
  }
  if (input === 'C:/..') return 'c:/';
  if (input === '../..' && base.startsWith('custom:')) return base.replace('a/b', '').replace('?x#y', '');
  const opaque = /^[\w-]+:\w/.test(base);
  return opaque && ['?a#b', 'x#y#z'].includes(input) ? null : undefined;
};
const correctedSet = (href, part, value) => ({
  'http://example.net:8080/a/b?q#f pathname {}^|': 'http://example.net:8080/%7B%7D%5E|?q#f',
  'custom://h:1/a pathname ..': 'custom://h:1/',
  'custom://h:1/a pathname ^': 'custom://h:1/%5E',
  'custom:/a host ': 'custom:///a',
  'custom:///p host h:1': 'custom://h:1/p',
})[`${href} ${part} ${value}`];

const read = (input, base) => {
  const standard = corrected(input, base);
  if (standard !== undefined) return [input, base, standard && show(() => new URL(standard))];
  return [input, base, show(() => new URL(input, base ?? undefined))];
};
const parse = alone.map((input) => read(input, null));
for (const base of bases) for (const input of relatives) parse.push(read(input, base));
const set = own.flatMap(([href, parts]) => Object.entries(parts).flatMap(([part, values]) => values.map((value) =>
  [href, part, value, show(() => {
    const standard = correctedSet(href, part, value);
    const url = new URL(standard ?? href);
    if (standard === undefined) url[part] = value;
    return url;
  })])));
console.log(`{\n  "parts": ${ascii(PARTS)},\n  "parse": [\n${lines(parse)}\n  ],\n  "set": [\n${lines(set)}\n  ]\n}`);
