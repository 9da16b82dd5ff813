// Where messages come from and go to: the engine around this QuickJS runtime, or stdin and stdout of this process.

/** What the engine offers inside of QuickJS, undefined elsewhere. */
export const host = () => globalThis[Symbol.for('trailblaze.host')];

export const environment = (name) => globalThis.process?.env?.[name] || undefined;

/**
 * Connects to the other side, whose messages go to `receive(message)`. Gives `send(text, id)`, and `turn()`, which waits
 * until rejections that nobody handles have been reported; they go to `unhandled(error)`.
 *
 * The engine hands over tool calls without a message, to `call(id, name, args, invocation)`, and takes texts for answers
 * with `answer(id, text)`; what it says of a call is `about(invocation)`, as JSON. It tells of rejections at the end of a
 * call, by `blamed(error, answer)`.
 */
export function connect({ receive, call, unhandled, blamed }) {
  const engine = host();
  if (engine) {
    engine.connect(receive, { call, blamed });
    return { send: engine.send, answer: engine.answer, about: engine.about, turn: undefined };
  }
  if (!globalThis.process?.stdin) {
    throw new Error('there is neither a Trailblaze engine nor a standard input to serve tools on');
  }
  return stdio(globalThis.process, receive, unhandled);
}

function stdio(process, receive, unhandled) {
  const send = (text) => void process.stdout.write(`${text}\n`);
  talkToStderr(process);
  process.on('unhandledRejection', unhandled);

  const take = (line) => {
    if (line.trim() === '') return;
    let message;
    try {
      message = JSON.parse(line);
    } catch (error) {
      const refusal = { code: -32700, message: `not JSON: ${error.message}` };
      send(JSON.stringify({ jsonrpc: '2.0', id: null, error: refusal }));
      return;
    }
    receive(message);
  };

  let pieces = [];
  const read = (chunk) => {
    const lines = chunk.split('\n');
    pieces.push(lines[0]);
    if (lines.length === 1) return;
    const first = pieces.join('');
    pieces = [lines.pop()];
    lines[0] = first;
    lines.forEach(take);
  };

  // Tools that the program defines after the first one are there before the first question.
  setTimeout(() => {
    process.stdin.setEncoding('utf8');
    process.stdin.on('data', read);
    process.stdin.on('end', () => take(pieces.join('')));
  }, 0);

  return { send, turn: () => new Promise((resolve) => setImmediate(resolve)) };
}

/** Stdout belongs to the protocol. */
function talkToStderr(process) {
  const { console } = globalThis;
  if (console.Console) Object.assign(console, new console.Console(process.stderr, process.stderr));
  else console.log = console.info = console.debug = console.error;
}
