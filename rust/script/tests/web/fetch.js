import { rejects, same, throws } from './check.js';

export const cases = {
  'header names have no case': () => {
    const headers = new Headers({ 'Content-Type': 'text/plain', 'X-A': 1 });
    same([headers.get('content-type'), headers.get('X-a'), headers.has('x-A'), headers.get('none')], ['text/plain', '1', true, null]);
    same([...headers], [['content-type', 'text/plain'], ['x-a', '1']]);
  },
  'headers are joined and sorted': () => {
    const headers = new Headers([['b', '2'], ['a', '1'], ['B', '3']]);
    headers.append('a', '0');
    same([...headers], [['a', '1, 0'], ['b', '2, 3']]);
    same([[...headers.keys()], [...headers.values()]], [['a', 'b'], ['1, 0', '2, 3']]);
    headers.set('b', 'x');
    headers.delete('A');
    same([...headers.entries()], [['b', 'x']]);
    const seen = [];
    headers.forEach((value, name) => seen.push(name, value));
    same(seen, ['b', 'x']);
  },
  'cookies stay apart': () => {
    const headers = new Headers([['set-cookie', 'a=1'], ['Set-Cookie', 'b=2']]);
    same([headers.getSetCookie(), [...headers]], [['a=1', 'b=2'], [['set-cookie', 'a=1'], ['set-cookie', 'b=2']]]);
  },
  'headers from headers': () => same([...new Headers(new Headers({ a: 'b' }))], [['a', 'b']]),
  'bad headers': () => {
    for (const name of ['', 'a b', 'ä', 'a:', 'a\n']) throws(() => new Headers({ [name]: 'x' }), 'TypeError');
    for (const value of ['a\nb', '\u0000', '€']) throws(() => new Headers({ a: value }), 'TypeError');
    throws(() => new Headers([['a']]), 'TypeError');
    throws(() => new Headers(5), 'TypeError');
    throws(() => new Headers().append('a'), 'TypeError');
    same(new Headers({ a: ' \t x y \r\n' }).get('a'), 'x y');
  },
  'a response': async () => {
    const response = new Response('text', { status: 201, statusText: 'Made', headers: { a: 'b' } });
    same([response.status, response.ok, response.statusText, response.headers.get('a'), response.url], [201, true, 'Made', 'b', '']);
    same([response.headers.get('content-type'), response.bodyUsed, response.redirected], ['text/plain;charset=UTF-8', false, false]);
    same(await response.text(), 'text');
    same(response.bodyUsed, true);
    await rejects(response.text(), 'TypeError');
  },
  'bodies are read in many ways': async () => {
    same(await new Response('{"a":1}').json(), { a: 1 });
    same(new Uint8Array(await new Response('ä').arrayBuffer()), Uint8Array.of(195, 164));
    same(await new Response(Uint8Array.of(97, 98)).text(), 'ab');
    same(await new Response(Uint8Array.of(97, 98).buffer).text(), 'ab');
    same(await new Response(new URLSearchParams({ a: 'b c' })).text(), 'a=b+c');
    same(new Response(new URLSearchParams()).headers.get('content-type'), 'application/x-www-form-urlencoded;charset=UTF-8');
    same(await new Response(5).text(), '5');
    same(await new Response().text(), '');
    await rejects(new Response('{').json(), 'SyntaxError');
  },
  'a body is a copy': async () => {
    const bytes = Uint8Array.of(97);
    const response = new Response(bytes);
    bytes[0] = 98;
    same(await response.text(), 'a');
  },
  'Response.json': async () => {
    const response = Response.json({ a: [1] }, { status: 404 });
    same([response.status, response.ok, response.headers.get('content-type')], [404, false, 'application/json']);
    same(await response.json(), { a: [1] });
    throws(() => Response.json(undefined), 'TypeError');
  },
  'a copy of a response': async () => {
    const response = new Response('x', { status: 418, headers: { a: 'b' } });
    const copy = response.clone();
    same([await response.text(), await copy.text(), copy.status, copy.headers.get('a')], ['x', 'x', 418, 'b']);
    throws(() => response.clone(), 'TypeError');
  },
  'bad responses': () => {
    throws(() => new Response('', { status: 99 }), 'RangeError');
    throws(() => new Response('', { status: 600 }), 'RangeError');
    throws(() => new Response('x', { status: 204 }), 'TypeError');
    same(new Response(null, { status: 204 }).status, 204);
  },
  'a request': async () => {
    const request = new Request('http://h/a/../b', { method: 'post', headers: { a: 'b' }, body: 'x' });
    same([request.url, request.method, request.headers.get('a')], ['http://h/b', 'POST', 'b']);
    same([request.headers.get('content-type'), request.signal.aborted], ['text/plain;charset=UTF-8', false]);
    same(await request.text(), 'x');
    same([new Request('http://h').method, new Request(new URL('http://h')).url], ['GET', 'http://h/']);
    same(new Request('http://h', { method: 'Custom' }).method, 'Custom');
  },
  'a request from a request': async () => {
    const first = new Request('http://h/', { method: 'PUT', headers: { a: 'b' }, body: 'x' });
    const copy = first.clone();
    const second = new Request(first, { headers: { c: 'd' } });
    same([second.method, second.headers.get('a'), second.headers.get('c'), first.bodyUsed], ['PUT', null, 'd', true]);
    same([await second.text(), await copy.text()], ['x', 'x']);
  },
  'bad requests': () => {
    throws(() => new Request(), 'TypeError');
    throws(() => new Request('/relative'), 'TypeError');
    throws(() => new Request('http://h', { method: 'a b' }), 'TypeError');
    throws(() => new Request('http://h', { method: 'TRACE' }), 'TypeError');
    throws(() => new Request('http://h', { body: 'x' }), 'TypeError');
    throws(() => new Request('http://h', { signal: {} }), 'TypeError');
  },
  'fetch answers with a promise, whatever it is given': async () => {
    const promise = fetch('nonsense');
    same(promise instanceof Promise, true);
    await rejects(promise, 'TypeError');
    await rejects(fetch(), 'TypeError');
  },
};
