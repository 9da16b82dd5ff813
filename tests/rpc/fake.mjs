// A server that notes what it is asked and answers what it is told to: Connect, binary, as both clients speak it.

import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

import { last } from './lab.mjs';

/** For a call that is never answered. */
export const HANGS = Symbol('hangs');

/** With the messages of the client that is installed in a project. */
export async function fake(project) {
  const load = (name) => import(pathToFileURL(project.path(`node_modules/${name}`)));
  const { fromBinary, fromJson, toBinary, toJson } = await load('@bufbuild/protobuf/dist/esm/index.js');
  const v1 = await load('@trailblaze/client/src/v1.js');
  const services = new Map(Object.values(v1).filter(({ kind }) => kind === 'service').map((one) => [one.typeName, one]));

  const detail = (failure) => {
    const bytes = toBinary(v1.FailureSchema, fromJson(v1.FailureSchema, failure));
    return { type: 'trailblaze.v1.Failure', value: Buffer.from(bytes).toString('base64').replace(/=+$/, '') };
  };
  const wire = ({ status: code, ...failure }) => ({ code, message: failure.message, details: [detail(failure)] });
  const piece = (flags, bytes) => {
    const head = Buffer.alloc(5);
    head.writeUInt8(flags);
    head.writeUInt32BE(bytes.length, 1);
    return Buffer.concat([head, bytes]);
  };

  const requests = [];
  /** Answers in the JSON of protobuf, in the order of the calls: one, a list for a stream, `{ error }`, or HANGS. */
  const answers = [];
  /** The methods whose callers hung up before there was an answer. */
  const abandoned = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const [, service, name] = request.url.split('/');
    const { input, output } = services.get(service).methods.find((one) => one.name === name);
    const isStream = request.headers['content-type'] === 'application/connect+proto';
    const { authorization, 'connect-timeout-ms': timeout } = request.headers;
    const message = toJson(input, fromBinary(input, isStream ? body.subarray(5) : body));
    const method = `${service.split('.').at(-1)}.${name}`;
    requests.push({ method, message, authorization, timeout });
    const answer = answers.shift() ?? {};
    response.on('close', () => response.writableEnded || abandoned.push(method));
    if (answer === HANGS) return;
    const pack = (json) => Buffer.from(toBinary(output, fromJson(output, json)));
    response.setHeader('content-type', request.headers['content-type']);
    if (isStream) {
      const pieces = answer.error ? [] : answer.map((json) => piece(0, pack(json)));
      const end = piece(2, Buffer.from(JSON.stringify(answer.error ? { error: wire(answer.error) } : {})));
      response.end(Buffer.concat([...pieces, end]));
    } else if (answer.error) {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify(wire(answer.error)));
    } else {
      response.end(pack(answer));
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  last(() => {
    server.close();
    server.closeAllConnections();
  });
  return { requests, answers, abandoned, address: `127.0.0.1:${server.address().port}` };
}
