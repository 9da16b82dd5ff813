// One tool call under way, and the calls that its handler makes. Those it does not wait for are waited for before the
// tool answers, and a failure that nobody looked at fails the tool.

const { then } = Promise.prototype;
const underWay = [];
const owners = new WeakMap();

/** A promise that knows whether somebody looks at it. `await` calls `then` of a subclass, as does `Promise.all`. */
class Call extends Promise {
  then(onFulfilled, onRejected) {
    this.seen = true;
    const next = super.then(onFulfilled, onRejected);
    return this.invocation?.track(next) ?? next;
  }
}

export class Invocation {
  cancelled = false;
  ended = false;
  #open = new Set();
  #failed = [];
  #abort;

  constructor(meta) {
    this.meta = meta;
    underWay.push(this);
  }

  /** Made only for handlers that look at it. */
  get signal() {
    this.#abort ??= globalThis.AbortController && new AbortController();
    if (this.cancelled) this.#abort?.abort();
    return this.#abort?.signal;
  }

  /** Nobody waits for the answer any more, and the handler may never come to an end. */
  cancel() {
    this.cancelled = true;
    this.end();
    this.#abort?.abort();
  }

  /** Follows a promise until it settles, together with everything that is chained to it. */
  track(promise) {
    const call = promise instanceof Call ? promise : Call.resolve(promise);
    call.invocation = this;
    const closed = () => this.#open.delete(watch);
    const watch = then.call(call, closed, (error) => {
      closed();
      if (typeof error === 'object' && error !== null) owners.set(error, this);
      if (!call.seen) this.#failed.push({ call, error });
    });
    this.#open.add(watch);
    return call;
  }

  /** Waits until nothing is open; what goes on after an `await` may open more, which this loop meets as well. */
  async settle() {
    for (const watch of this.#open) await watch;
  }

  fail(error) {
    this.#failed.push({ call: {}, error });
  }

  /** The first failure that the handler never saw, as `{ error }`. */
  get unseen() {
    return this.#failed.find(({ call }) => !call.seen);
  }

  end() {
    if (this.ended) return;
    this.ended = true;
    underWay.splice(underWay.indexOf(this), 1);
  }
}

/** The newest call under way: tools that call each other nest, so it is the one whose handler runs. */
export const current = () => underWay.at(-1);

/** Lays a rejection that nobody handled at the door of a call. False when there is none. */
export function blame(error) {
  const owner = (typeof error === 'object' && error !== null && owners.get(error)) || current();
  if (!owner || owner.ended) return false;
  owner.fail(error);
  return true;
}
