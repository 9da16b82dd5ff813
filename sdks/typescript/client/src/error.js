// What went wrong, with all that the server says about it.

import { Code, ConnectError } from '@connectrpc/connect';

import { FailureSchema } from './gen/trailblaze/v1/commands_pb.js';

/** A command that failed, or a call that was refused. */
export class TrailblazeError extends Error {
  name = 'TrailblazeError';

  constructor({ kind, message, hint, candidates, code }, { status, ...options } = {}) {
    super(message || 'the command failed', options);
    this.kind = kind;
    this.hint = hint || undefined;
    this.candidates = candidates ?? [];
    this.code = code;
    this.status = status;
  }
}

/** A condition that was not met. */
export class TrailblazeAssertionError extends TrailblazeError {
  name = 'TrailblazeAssertionError';
}

/** For the failure of a tool. */
export function failed(failure) {
  const Kind = failure?.kind === 'AssertionFailed' ? TrailblazeAssertionError : TrailblazeError;
  return new Kind(failure ?? {});
}

/** What the server calls them, where the client itself gave up. */
const KINDS = { [Code.Canceled]: 'Cancelled', [Code.DeadlineExceeded]: 'TimedOut' };

/** As it stands on the wire: `invalid_argument`. */
const statusOf = (code) => Code[code].replace(/(?<=.)[A-Z]/g, '_$&').toLowerCase();

/** For a call that did not come through. */
export function refused(cause, address) {
  const error = ConnectError.from(cause);
  const because = (failure, code = error.code) => new TrailblazeError(failure, { cause, status: statusOf(code) });
  const [failure] = error.findDetails(FailureSchema);
  if (failure) return because(failure);
  // Both runtimes say no more than that fetching failed, and put the reason behind it.
  if (error.code === Code.Unavailable || (error.code === Code.Unknown && error.cause !== undefined)) {
    const message = `Trailblaze does not answer at ${address}: ${error.cause?.cause?.message ?? error.rawMessage}`;
    return because({ kind: 'Unavailable', message, hint: "is 'trailblaze serve' or a run under way?" }, Code.Unavailable);
  }
  const late = error.code === Code.DeadlineExceeded && `Trailblaze did not answer in time at ${address}`;
  return because({ kind: KINDS[error.code] ?? Code[error.code], message: late || error.rawMessage });
}
