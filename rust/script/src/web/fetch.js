// `fetch`, `Request` and `Response`. Bodies are whole: there are no streams. The host gets JSON and promises JSON:
//   { url, method, headers: [[name, value]], body }  ->  { url, status, statusText, headers: [[name, value]], body }
// A body is null, { text } or { base64 }; in an answer, all but the status may be missing.
(host) => {
  'use strict';
  const { own, use } = host;
  const { Promise, RangeError, String, TypeError, Uint8Array, apply, parse, stringify, tag, uncurry } = own;
  const { Headers, isToken, pairsOf } = use('headers');
  const { URL } = use('url');
  const { isParams } = use('params');
  const { AbortController, isAborted, reasonOf, whenAborted } = use('abort');
  const { TextDecoder, bytesOf, encode } = use('text');
  const decode = uncurry(TextDecoder.prototype.decode);
  const then = uncurry(own.then);
  const toBase64 = uncurry(own.toBase64);
  const toUpperCase = uncurry(own.toUpperCase);
  const toWellFormed = uncurry(own.toWellFormed);
  const typedBuffer = uncurry(own.typedBuffer);
  const typedSet = uncurry(own.typedSet);
  const typedBytes = uncurry(own.typedBytes);
  const get = uncurry(Headers.prototype.get);
  const set = uncurry(Headers.prototype.set);
  const hrefOf = uncurry(URL.prototype.toString);

  const usv = (value) => toWellFormed(String(value));
  const copyOf = (bytes) => {
    const copy = new Uint8Array(typedBytes(bytes));
    typedSet(copy, bytes);
    return copy;
  };
  // A body is { text } or { bytes }, or null.
  const bodyOf = (value, headers) => {
    if (value === undefined || value === null) return null;
    const bytes = bytesOf(value);
    if (bytes) return { __proto__: null, bytes: copyOf(bytes) };
    const form = isParams(value);
    const type = form ? 'application/x-www-form-urlencoded;charset=UTF-8' : 'text/plain;charset=UTF-8';
    if (get(headers, 'content-type') === null) set(headers, 'content-type', type);
    return { __proto__: null, text: usv(value) };
  };
  const textOf = (body) => body?.text ?? (body ? decode(new TextDecoder(), body.bytes) : '');
  const bytesIn = (body) => (body?.bytes ? copyOf(body.bytes) : encode(body?.text ?? ''));

  let peek;
  let take;
  class Body {
    #body = null;
    #used = false;

    static {
      peek = (object) => {
        if (object.#used) throw new TypeError('the body was read already');
        return object.#body;
      };
      take = (object) => {
        const body = peek(object);
        object.#used = body !== null;
        return body;
      };
    }

    constructor(body) {
      this.#body = body;
    }

    // Always null, as there are no streams; `bytes()` has what there is.
    get body() { return null; }
    get bodyUsed() { return this.#used; }

    async text() { return textOf(take(this)); }
    async json() { return parse(textOf(take(this))); }
    async bytes() { return bytesIn(take(this)); }
    async arrayBuffer() { return typedBuffer(bytesIn(take(this))); }
  }

  const METHODS = { __proto__: null, DELETE: true, GET: true, HEAD: true, OPTIONS: true, POST: true, PUT: true };
  const methodOf = (value) => {
    const method = String(value);
    if (!isToken(method)) throw new TypeError(`'${method}' is not a method`);
    const upper = toUpperCase(method);
    if (upper === 'CONNECT' || upper === 'TRACE' || upper === 'TRACK') throw new TypeError(`the method ${upper} is not allowed`);
    return METHODS[upper] ? upper : method;
  };

  class Request extends Body {
    #url;
    #method;
    #headers;
    #signal;

    constructor(input, init = undefined) {
      if (arguments.length === 0) throw new TypeError('Request needs a URL');
      const from = typeof input === 'object' && input !== null && #url in input ? input : undefined;
      const url = from ? from.#url : hrefOf(new URL(input));
      const method = methodOf(init?.method ?? from?.#method ?? 'GET');
      const headers = new Headers(init?.headers ?? from?.#headers);
      const given = init?.body;
      if (given !== undefined && given !== null && (method === 'GET' || method === 'HEAD')) {
        throw new TypeError(`a request with the method ${method} cannot have a body`);
      }
      super(given === undefined && from ? take(from) : bodyOf(given, headers));
      const signal = init?.signal === undefined ? from?.#signal : init.signal;
      if (signal) isAborted(signal);
      this.#url = url;
      this.#method = method;
      this.#headers = headers;
      this.#signal = signal ?? new AbortController().signal;
    }

    get url() { return this.#url; }
    get method() { return this.#method; }
    get headers() { return this.#headers; }
    get signal() { return this.#signal; }

    clone() {
      const body = peek(this);
      return new Request(this.#url, {
        __proto__: null, method: this.#method, headers: this.#headers, signal: this.#signal, body: body?.text ?? body?.bytes,
      });
    }
  }

  const noBody = (status) => status === 101 || status === 204 || status === 205 || status === 304;
  let received;
  class Response extends Body {
    #status;
    #statusText;
    #headers;
    #url = '';
    #redirected = false;
    #type = 'default';

    static {
      received = (answer, asked) => {
        const { body } = answer;
        let content = body?.text;
        if (content === undefined && body) content = apply(own.fromBase64, Uint8Array, [body.base64]);
        const status = answer.status;
        const response = new Response(noBody(status) ? null : content, {
          __proto__: null, status, statusText: answer.statusText ?? '',
        });
        response.#headers = new Headers(answer.headers);
        response.#url = answer.url ?? asked;
        response.#redirected = response.#url !== asked;
        response.#type = 'basic';
        return response;
      };
    }

    constructor(body = null, init = undefined) {
      const status = init?.status === undefined ? 200 : init.status | 0;
      if (status < 200 || status > 599) throw new RangeError(`${status} is not a status from 200 to 599`);
      const headers = new Headers(init?.headers ?? undefined);
      if (noBody(status) && body !== null && body !== undefined) {
        throw new TypeError(`a response with the status ${status} cannot have a body`);
      }
      super(bodyOf(body, headers));
      this.#status = status;
      this.#statusText = String(init?.statusText ?? '');
      this.#headers = headers;
    }

    static json(data, init = undefined) {
      const text = stringify(data);
      if (text === undefined) throw new TypeError('Response.json: the value is not JSON');
      const headers = new Headers(init?.headers ?? undefined);
      if (get(headers, 'content-type') === null) set(headers, 'content-type', 'application/json');
      return new Response(text, { __proto__: null, status: init?.status, statusText: init?.statusText, headers });
    }

    get status() { return this.#status; }
    get ok() { return this.#status >= 200 && this.#status <= 299; }
    get statusText() { return this.#statusText; }
    get headers() { return this.#headers; }
    get url() { return this.#url; }
    get redirected() { return this.#redirected; }
    get type() { return this.#type; }

    clone() {
      const body = peek(this);
      const copy = new Response(body?.text ?? body?.bytes, {
        __proto__: null, status: this.#status, statusText: this.#statusText, headers: this.#headers,
      });
      copy.#headers = new Headers(this.#headers);
      copy.#url = this.#url;
      copy.#redirected = this.#redirected;
      copy.#type = this.#type;
      return copy;
    }
  }

  const ask = (request) => {
    const body = take(request);
    const sent = body && (body.bytes ? { __proto__: null, base64: toBase64(body.bytes) } : { __proto__: null, text: body.text });
    return stringify({
      __proto__: null, url: request.url, method: request.method, headers: pairsOf(request.headers), body: sent,
    });
  };
  const failed = (error) => {
    const reason = typeof error === 'object' && error !== null ? error.message : error;
    return new TypeError(`fetch failed: ${String(reason)}`, { __proto__: null, cause: error });
  };

  const { fetch } = {
    fetch(input, init = undefined) {
      return new Promise((resolve, reject) => {
        if (!host.fetch) throw new TypeError('this script may not use the network');
        const request = new Request(input, init);
        const { protocol } = new URL(request.url);
        if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError(`fetch failed: '${protocol}' is neither http: nor https:`);
        const { signal } = request;
        if (isAborted(signal)) throw reasonOf(signal);
        const forget = whenAborted(signal, () => reject(reasonOf(signal)));
        const answered = (text) => {
          forget();
          try {
            resolve(received(parse(text), request.url));
          } catch (error) {
            reject(failed(error));
          }
        };
        const refused = (error) => {
          forget();
          reject(failed(error));
        };
        then(apply(host.fetch, undefined, [ask(request)]), answered, refused);
      });
    },
  };
  tag(Request.prototype, 'Request');
  tag(Response.prototype, 'Response');

  return { Request, Response, fetch };
}
