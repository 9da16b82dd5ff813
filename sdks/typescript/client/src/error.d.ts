/** Why something failed. Newer versions may know more kinds. */
export type FailureKind =
  | 'NotFound'
  | 'Ambiguous'
  | 'AssertionFailed'
  | 'Timeout'
  | 'MissingRequiredArgs'
  | 'InvalidArguments'
  | 'UnknownTool'
  | 'NotSupported'
  | 'Device'
  | 'App'
  | 'Interrupted'
  | 'UnknownInvocation'
  | 'WrongSession'
  | 'InvocationRequired'
  | 'InvocationOver'
  | 'UnknownDevice'
  | 'Busy'
  | 'TimedOut'
  | 'Cancelled'
  | 'UnsupportedGroup'
  | 'InvalidRequest'
  | 'Unauthenticated'
  | 'Unavailable'
  | 'Internal'
  | (string & {});

/** A command that failed, or a call that was refused. */
export declare class TrailblazeError extends Error {
  name: 'TrailblazeError' | 'TrailblazeAssertionError';
  constructor(
    failure: { kind: FailureKind; message: string; hint?: string; candidates?: string[]; code?: number },
    options?: ErrorOptions & { status?: string },
  );
  /** One word to tell failures apart. */
  readonly kind: FailureKind;
  /** What to do next. */
  readonly hint: string | undefined;
  /** The elements that come nearest to the one that was looked for, best first. */
  readonly candidates: string[];
  /** The code of JSON-RPC where one is documented: -32602 for an unknown invocation id. */
  readonly code: number | undefined;
  /** The status of Connect, such as `invalid_argument`; undefined where the device was asked and said no. */
  readonly status: string | undefined;
}

/** A condition that was not met. */
export declare class TrailblazeAssertionError extends TrailblazeError {
  name: 'TrailblazeAssertionError';
}
