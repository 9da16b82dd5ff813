import { same, throws } from './check.js';

export const cases = {
  'parts': () => {
    const url = new URL('https://me:pw@example.com:8080/a/b?x=1#top');
    same([url.protocol, url.username, url.password, url.host, url.hostname, url.port], ['https:', 'me', 'pw', 'example.com:8080', 'example.com', '8080']);
    same([url.pathname, url.search, url.hash, url.origin], ['/a/b', '?x=1', '#top', 'https://example.com:8080']);
    same([`${url}`, url.toString(), url.toJSON(), JSON.stringify({ url })], [url.href, url.href, url.href, `{"url":"${url.href}"}`]);
    same(Object.prototype.toString.call(url), '[object URL]');
  },
  'errors': () => {
    throws(() => new URL('nonsense'), 'TypeError');
    throws(() => new URL(), 'TypeError');
    throws(() => new URL('/x', 'mailto:y'), 'TypeError');
    throws(() => URL('http://x'), 'TypeError');
    throws(() => { new URL('http://x').href = 'nonsense'; }, 'TypeError');
    throws(() => { 'use strict'; new URL('http://x').origin = 'y'; }, 'TypeError');
    try {
      new URL('nonsense');
    } catch (error) {
      same([error.code, error.input], ['ERR_INVALID_URL', 'nonsense']);
    }
  },
  'canParse': () => {
    same([URL.canParse('http://x'), URL.canParse('x'), URL.canParse('x', 'http://y'), URL.canParse('x', 'y')], [true, false, true, false]);
  },
  'anything becomes text': () => {
    same(new URL({ toString: () => 'http://x/' }).href, 'http://x/');
    same(new URL('y', new URL('http://x/z')).href, 'http://x/y');
    same(new URL(undefined, 'http://x/').href, 'http://x/undefined');
  },
  'parts are accessors of the prototype': () => {
    const own = Object.getOwnPropertyDescriptor(URL.prototype, 'hostname');
    same([typeof own.get, typeof own.set, own.enumerable, own.configurable], ['function', 'function', true, true]);
    same(Object.getOwnPropertyDescriptor(URL.prototype, 'origin').set, undefined);
    throws(() => URL.prototype.hostname, 'TypeError');
  },
  'parameters follow the URL': () => {
    const url = new URL('http://h/?a=1&b=2');
    const params = url.searchParams;
    same(url.searchParams === params, true);
    url.search = '?c=3';
    same([...params], [['c', '3']]);
    url.href = 'http://h/?d=4#x';
    same(params.get('d'), '4');
    url.search = '';
    same(params.size, 0);
    same(url.href, 'http://h/#x');
  },
  'the URL follows its parameters': () => {
    const url = new URL('http://h/p?a=1#f');
    url.searchParams.append('b', 'x y&z');
    same(url.href, 'http://h/p?a=1&b=x+y%26z#f');
    url.searchParams.set('a', 'ä');
    same(url.search, '?a=%C3%A4&b=x+y%26z');
    url.searchParams.delete('a');
    url.searchParams.delete('b');
    same([url.search, url.href], ['', 'http://h/p#f']);
  },
  'a question mark in the first name': () => same([...new URL('http://h/??a=1').searchParams], [['?a', '1']]),
  'parameters from many things': () => {
    same(`${new URLSearchParams({ a: 1, b: [2, 3] })}`, 'a=1&b=2%2C3');
    same(`${new URLSearchParams([['a', 1], ['a', 2]])}`, 'a=1&a=2');
    same(`${new URLSearchParams(new Map([['x', 'y']]))}`, 'x=y');
    same(`${new URLSearchParams(new URLSearchParams('a=1&b'))}`, 'a=1&b=');
    same([`${new URLSearchParams()}`, `${new URLSearchParams(undefined)}`, `${new URLSearchParams('?x')}`], ['', '', 'x=']);
    same(`${new URLSearchParams((function* () { yield ['g', '1']; })())}`, 'g=1');
    throws(() => new URLSearchParams([['a']]), 'TypeError');
    throws(() => new URLSearchParams([1]), 'TypeError');
    throws(() => new URLSearchParams({ [Symbol.iterator]: 1 }), 'TypeError');
  },
  'reading parameters': () => {
    const params = new URLSearchParams('a=1&b=2&a=3');
    same([params.get('a'), params.getAll('a'), params.get('x'), params.getAll('x'), params.size], ['1', ['1', '3'], null, [], 3]);
    same([params.has('a'), params.has('x'), params.has('a', '3'), params.has('a', '2')], [true, false, true, false]);
    throws(() => params.get(), 'TypeError');
  },
  'changing parameters': () => {
    const params = new URLSearchParams('a=1&b=2&a=3&c=4');
    params.set('a', 9);
    same(`${params}`, 'a=9&b=2&c=4');
    params.append('b', 5);
    params.delete('b', '2');
    same(`${params}`, 'a=9&c=4&b=5');
    params.sort();
    same(`${params}`, 'a=9&b=5&c=4');
    throws(() => params.append('a'), 'TypeError');
    throws(() => params.set('a'), 'TypeError');
  },
  'walking parameters': () => {
    const params = new URLSearchParams('a=1&b=2');
    same([[...params], [...params.keys()], [...params.values()], [...params.entries()]], [[['a', '1'], ['b', '2']], ['a', 'b'], ['1', '2'], [['a', '1'], ['b', '2']]]);
    const seen = [];
    params.forEach(function (value, name, all) { seen.push(value, name, all === params, this.x); }, { x: 1 });
    same(seen, ['1', 'a', true, 1, '2', 'b', true, 1]);
    same(Object.fromEntries(params), { a: '1', b: '2' });
    const live = params.entries();
    live.next();
    params.delete('b');
    same(live.next().done, true);
    same(params[Symbol.iterator] === params.entries, true);
  },
  'URLs that apps use': () => {
    same(new URL('myapp://item/42?ref=a').hostname, 'item');
    same(new URL('myapp:item/42').pathname, 'item/42');
    same(new URL('../img/a b.png', 'https://cdn.example/app/js/x.js').href, 'https://cdn.example/app/img/a%20b.png');
    same(new URL('file:///sdcard/Download/a%20b.txt').pathname, '/sdcard/Download/a%20b.txt');
    same(new URL('https://münchen.example/').hostname, 'xn--mnchen-3ya.example');
  },
  'subclasses': () => {
    class Link extends URL {
      get last() { return this.pathname.split('/').pop(); }
    }
    same(new Link('http://h/a/b').last, 'b');
  },
  'setters take anything': () => {
    const url = new URL('http://h/');
    url.port = 8080;
    url.hash = null;
    url.search = undefined;
    same(url.href, 'http://h:8080/?undefined#null');
  },
};
