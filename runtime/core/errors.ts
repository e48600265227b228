/** Errors that a client sees: code, message and the path into the request. */
import type { Reason } from './reason.ts';

/** Every code: its meaning for clients, and its status where the endpoint shows statuses at all; 400 unless given. */
export const ERRORS = {
  'access-denied': { meaning: 'The credentials are wrong or missing, or the role may not do this at all.' },
  'already-exists': { meaning: 'An object of this name exists.' },
  'already-tracked': { meaning: 'The table or function is tracked.' },
  'already-untracked': { meaning: 'The table is not tracked.' },
  'bad-request': { meaning: 'The endpoint does not understand the request.' },
  busy: { meaning: 'The event is being delivered.' },
  'client-gone': { meaning: 'The client left before the answer. Seen in logs only.', status: 499 },
  'coercion-error': { meaning: 'A text is not a value of its type.' },
  'concurrent-update': {
    meaning: 'Another transaction was in the way; nothing was written. Send the request again.',
  },
  conflict: {
    meaning: 'The metadata has changed since the resource version that the request names.',
    status: 409,
  },
  'connection-not-established': { meaning: 'The database cannot be reached, or refuses the connection.' },
  'constraint-error': { meaning: 'A constraint, or the target of `on_conflict`, is not there.' },
  'constraint-violation': {
    meaning:
      'A key, foreign key, NOT NULL or exclusion constraint refuses the row; or the metadata contradicts itself.',
  },
  'cyclic-dependency': { meaning: 'Inherited roles contain each other.' },
  'data-exception': { meaning: 'A value is outside of what its type or the column allows.' },
  'dependency-error': { meaning: 'Other objects depend on this one: they are listed. `cascade` drops them.' },
  'invalid-configuration': {
    meaning: 'An object of the metadata does not fit the database, or an address is wrong.',
  },
  'invalid-headers': { meaning: 'A header is malformed, missing or there twice.' },
  'invalid-json': { meaning: 'The body is not JSON.' },
  'invalid-jwt': {
    meaning: 'The token is malformed, expired, of another issuer or audience, or signed by an unknown key.',
  },
  'invalid-params': { meaning: 'An argument does not fit.' },
  'jwt-invalid-claims': { meaning: 'The claims of the token are missing or of the wrong form.' },
  'jwt-missing-role-claims': { meaning: 'The token has no list of allowed roles, or no default role.' },
  'metadata-warnings': { meaning: 'The change has warnings, and the request does not allow them.' },
  'method-not-allowed': { meaning: 'The endpoint takes another method.', status: 405 },
  'not-exists': { meaning: 'An object that the request names is not there.' },
  'not-found': { meaning: 'The address, the endpoint or an environment variable is not there.' },
  'not-supported': { meaning: 'This is not offered here.' },
  overloaded: {
    meaning: 'The server, or the pool of a database, has more to do than it may; nothing was run.',
    status: 503,
  },
  'parse-failed': { meaning: 'The request, or a value in it, has the wrong form.' },
  'permission-denied': { meaning: 'The role has no permission on the table.' },
  'permission-error': {
    meaning: 'The row does not meet the `check` of the permission, or a check constraint.',
  },
  'postgres-error': { meaning: 'PostgreSQL refused the statement, or the connection broke.' },
  'postgres-max-connections-error': { meaning: 'The database has no free connections.', status: 500 },
  'remote-schema-conflicts': { meaning: 'A remote schema has names that are taken.' },
  'remote-schema-error': { meaning: 'A remote schema cannot be reached, or is not valid.' },
  'start-failed': { meaning: 'A socket did not begin as its protocol says.' },
  timeout: { meaning: 'The operation took longer than it may.', status: 500 },
  unexpected: {
    meaning:
      'Something that no rule foresees: the log has the details. Also a webhook for authentication that failed.',
    status: 500,
  },
  'unexpected-payload': { meaning: 'The input of a mutation has keys or values that do not belong there.' },
  'validation-failed': {
    meaning: 'The GraphQL document does not fit the schema of the role, or exceeds a limit.',
  },
  PERSISTED_QUERY_NOT_FOUND: { meaning: 'The text of a persisted query is needed; clients send it next.' },
  PERSISTED_QUERY_NOT_SUPPORTED: {
    meaning: 'Persisted queries are off; clients send texts without hashes from then on.',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

interface ErrorEntry {
  readonly meaning: string;
  readonly status?: number;
}

export type ErrorCode = keyof typeof ERRORS;

/** Status of an error where the endpoint shows statuses at all. */
function statusOf(code: ErrorCode): number {
  const { status = 400 }: ErrorEntry = ERRORS[code];
  return status;
}

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
    this.status = options.status ?? statusOf(code);
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

/** What `run` returns; where it throws an EngineError, what `refused` makes of it, undefined unless given. */
export function unlessRefused<Value, Refused = undefined>(
  run: () => Value,
  refused: (error: EngineError) => Refused = () => undefined as Refused,
): Value | Refused {
  try {
    return run();
  } catch (error) {
    if (error instanceof EngineError) return refused(error);
    throw error;
  }
}
