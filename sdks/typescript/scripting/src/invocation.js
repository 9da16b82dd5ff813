// One tool call under way, and the calls that its handler makes. Those it does not wait for are waited for before the
// tool answers, and a failure that nobody looked at fails the tool.

const underWay = [];
const owners = new WeakMap();
/** From the end of a call to what a handler does next there are fewer turns than this. */
const TURNS = 8;

/**
 * A promise that knows whether somebody looks at it: `await` and `Promise.all` call its `then`. It is none by its slots,
 * because subclasses of promises cost a multiple, and every command of a tool is one.
 */
class Call {
  seen = false;
  promise = undefined;

  then(onFulfilled, onRejected) {
    this.seen = true;
    return this.promise.then(onFulfilled, onRejected);
  }

  catch(onRejected) {
    return this.then(undefined, onRejected);
  }

  finally(onSettled) {
    this.seen = true;
    return this.promise.finally(onSettled);
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

  /** A call whose promise is followed until it is closed. It knows whether the handler looks at it. */
  open() {
    const call = new Call();
    (this.#open ??= new Set()).add(call);
    return call;
  }

  /** It came to its end, perhaps by an error that the handler looks at later, or never. */
  close(call, error) {
    if (error !== undefined) {
      owners.set(error, this);
      if (!call.seen) {
        this.#fail(call, error);
        // It is no rejection that nobody handled. Its promise may not be there yet.
        Promise.resolve().then(() => call.promise.then(undefined, () => {}));
      }
    }
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

  /** Waits until nothing is open. What goes on after the last call needs a few turns to make its next one. */
  async settle() {
    while (this.isOpen) {
      await new Promise((resolve) => (this.#settled = resolve));
      for (let turn = 0; turn < TURNS && !this.isOpen; turn++) await null;
    }
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
