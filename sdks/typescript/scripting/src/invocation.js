// One tool call under way, and the calls that its handler makes. Those it does not wait for are waited for before the
// tool answers, and a failure that nobody looked at fails the tool.

const underWay = [];
const owners = new WeakMap();

/**
 * A promise that knows whether somebody looks at it: `await` and `Promise.all` call its `then`. It is none by its slots,
 * because subclasses of promises cost a multiple, and every command of a tool is one.
 */
class Call {
  seen = false;
  #promise;

  constructor(promise) {
    this.#promise = promise;
  }

  then(onFulfilled, onRejected) {
    this.seen = true;
    return this.#promise.then(onFulfilled, onRejected);
  }

  catch(onRejected) {
    return this.then(undefined, onRejected);
  }

  finally(onSettled) {
    this.seen = true;
    return this.#promise.finally(onSettled);
  }
}
Object.setPrototypeOf(Call.prototype, Promise.prototype);

export class Invocation {
  cancelled = false;
  ended = false;
  #about;
  #meta;
  #open;
  #settled;
  #failed;
  #abort;

  /** `about(id)` gives `_meta.trailblaze` of the call, or its JSON. */
  constructor(id, about) {
    this.id = id;
    this.#about = about;
  }

  begin() {
    underWay.push(this);
  }

  /** `_meta.trailblaze`, where the call comes from Trailblaze. */
  get meta() {
    if (this.#meta === undefined) {
      const about = this.#about(this.id);
      this.#meta = typeof about === 'string' ? JSON.parse(about) : about;
    }
    return this.#meta;
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

  /** Follows a promise until it settles. Gives one that knows whether the handler looks at it. */
  track(promise) {
    const call = new Call(promise);
    const open = (this.#open ??= new Set());
    open.add(call);
    promise.then(
      () => this.#close(call),
      (error) => {
        if (typeof error === 'object' && error !== null) owners.set(error, this);
        if (!call.seen) this.#fail(call, error);
        this.#close(call);
      },
    );
    return call;
  }

  #close(call) {
    this.#open.delete(call);
    if (this.#open.size === 0) this.#settled?.();
  }

  /** Whether a call is open, or one was that failed. */
  get isBusy() {
    return this.isOpen || this.#failed !== undefined;
  }

  get isOpen() {
    return this.#open?.size > 0;
  }

  /** Waits until nothing is open. */
  async settle() {
    while (this.#open?.size > 0) await new Promise((resolve) => (this.#settled = resolve));
  }

  fail(error) {
    this.#fail({}, error);
  }

  #fail(call, error) {
    (this.#failed ??= []).push({ call, error });
  }

  /** The first failure that the handler never saw, as `{ error }`. */
  get unseen() {
    return this.#failed?.find(({ call }) => !call.seen);
  }

  end() {
    if (this.ended) return;
    this.ended = true;
    if (underWay.at(-1) === this) underWay.pop();
    else underWay.splice(underWay.indexOf(this), 1);
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
