/** Errors that a client sees: code, message and the path into the request. */
import type { Reason } from './reason.ts';

export type ErrorCode =
  | 'access-denied'
  | 'already-exists'
  | 'already-tracked'
  | 'already-untracked'
  | 'bad-request'
  | 'busy'
  | 'client-gone'
  | 'coercion-error'
  | 'concurrent-update'
  | 'conflict'
  | 'connection-not-established'
  | 'constraint-error'
  | 'constraint-violation'
  | 'cyclic-dependency'
  | 'data-exception'
  | 'dependency-error'
  | 'invalid-configuration'
  | 'invalid-headers'
  | 'invalid-json'
  | 'invalid-jwt'
  | 'invalid-params'
  | 'jwt-invalid-claims'
  | 'jwt-missing-role-claims'
  | 'metadata-warnings'
  | 'method-not-allowed'
  | 'not-exists'
  | 'not-found'
  | 'not-supported'
  | 'overloaded'
  | 'parse-failed'
  | 'permission-denied'
  | 'permission-error'
  | 'postgres-error'
  | 'postgres-max-connections-error'
  | 'remote-schema-conflicts'
  | 'remote-schema-error'
  | 'start-failed'
  | 'template-resolution-failed'
  | 'timeout'
  | 'unexpected'
  | 'unexpected-payload'
  | 'validation-failed'
  /** The code that clients of automatic persisted queries expect: they send the text next. */
  | 'PERSISTED_QUERY_NOT_FOUND'
  /** The same clients send texts without hashes from then on. */
  | 'PERSISTED_QUERY_NOT_SUPPORTED';

/** Status of an error where the endpoint shows statuses at all; 400 unless listed. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  // Seen in logs only. Not of the standard, but usual.
  'client-gone': 499,
  conflict: 409,
  'method-not-allowed': 405,
  'postgres-max-connections-error': 500,
  overloaded: 503,
  unexpected: 500,
  timeout: 500,
};

export interface EngineErrorOptions {
  /** Where in the request, `$` by default. */
  readonly path?: Path;
  readonly status?: number;
  /** For administrators and development mode only. */
  readonly internal?: unknown;
  /** Replaces `extensions` of a GraphQL error as a whole; for errors of other servers. */
  readonly extensions?: unknown;
  /** Which rule denied it; shown as `internal` is. */
  readonly reason?: Reason | undefined;
  readonly cause?: unknown;
}

/** An error with a code that reaches the client as written. Everything else becomes `unexpected` at the edge. */
export class EngineError extends Error {
  readonly code: ErrorCode;
  readonly path: string;
  readonly status: number;
  readonly internal: unknown;
  readonly extensions: unknown;
  readonly reason: Reason | undefined;

  constructor(code: ErrorCode, message: string, options: EngineErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'EngineError';
    this.code = code;
    this.path = String(options.path ?? '$');
    this.status = options.status ?? STATUS[code] ?? 400;
    this.internal = options.internal;
    this.extensions = options.extensions;
    this.reason = options.reason;
  }

  /** The same error at another path. */
  at(path: Path): EngineError {
    return this.#with({ path });
  }

  /** The same error, its own path continuing another: `$[1]` below `$.a` is `$.a[1]`. */
  below(path: Path): EngineError {
    return this.at(`${path}${this.path.slice(1)}`);
  }

  /** The same error with the rule that it follows from. */
  because(reason: Reason): EngineError {
    return this.#with({ reason });
  }

  /** The same error with other details for administrators. */
  withInternal(internal: unknown): EngineError {
    return this.#with({ internal });
  }

  #with(options: EngineErrorOptions): EngineError {
    const { path, status, internal, extensions, reason } = this;
    return new EngineError(this.code, this.message, {
      path,
      status,
      internal,
      extensions,
      reason,
      ...options,
      cause: this,
    });
  }
}

/** Errors of another server, which the client gets as they are. */
export class UpstreamErrors extends EngineError {
  /** JSON list of GraphQL errors. */
  readonly text: string;

  constructor(text: string) {
    super('remote-schema-error', 'the remote schema answered with errors', { status: 200 });
    this.text = text;
  }
}

/** A request names something that the schema, as its role sees it, does not have. */
export class UnknownName extends EngineError {
  readonly typeName: string;
  readonly unknownName: string;

  constructor(typeName: string, unknownName: string, message: string, path: Path) {
    super('validation-failed', message, { path });
    this.typeName = typeName;
    this.unknownName = unknownName;
  }
}

/** A place in a request. Each part of a large value has one, so that its text is made only where it is needed, by `String`. */
export type Path = string | PathBelow;

/** A step below another place. */
export class PathBelow {
  readonly above: Path;
  readonly step: string | number;

  constructor(above: Path, step: string | number) {
    this.above = above;
    this.step = step;
  }

  toString(): string {
    return pathStep(this.above, this.step);
  }

  toJSON(): string {
    return this.toString();
  }
}

/** The steps of a place below the text that it begins with. */
export function stepsOf(path: Path): readonly (string | number)[] {
  const steps: (string | number)[] = [];
  for (let at = path; typeof at !== 'string'; at = at.above) steps.unshift(at.step);
  return steps;
}

/** Extends a JSON path: identifiers by dot, other keys in brackets and quoted, positions in brackets. */
export function pathStep(path: Path, step: string | number): string {
  if (typeof step === 'number') return `${path}[${step}]`;
  return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(step) ? `${path}.${step}` : `${path}[${JSON.stringify(step)}]`;
}
