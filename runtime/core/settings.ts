/** Settings of the whole program, per role. They are generated into index.ts. */

export interface ProgramSettings {
  /** The vocabulary of texts that are kept as users write them, such as templates; absent: `engine`. */
  readonly vocabulary?: string;
  /** Roles without `__schema` and `__type`. */
  readonly introspectionDisabledFor?: readonly string[];
  readonly limits?: ApiLimits;
  /** Hosts that are called although their certificates cannot be verified. */
  readonly unverifiedHosts?: readonly UnverifiedHost[];
  /** No request runs as administrator: the program was built for certain roles. */
  readonly withoutAdmin?: true;
}

export interface UnverifiedHost {
  readonly host: string;
  /** A port or a path; absent: the whole host. */
  readonly suffix?: string;
}

/** Limits of requests. None applies to the role admin. */
export interface ApiLimits {
  readonly disabled: boolean;
  /** Fields with a selection set below each other. */
  readonly depth_limit?: Limit<number>;
  /** Fields with a selection set. */
  readonly node_limit?: Limit<number>;
  /** Requests in a batch. */
  readonly batch_limit?: Limit<number>;
  /** Seconds. */
  readonly time_limit?: Limit<number>;
  readonly rate_limit?: Limit<RateLimit>;
}

/** A role's own value replaces the global one. */
export interface Limit<Value> {
  readonly global: Value;
  readonly per_role: Readonly<Record<string, Value>>;
}

/** The value for a role; undefined: it has no limit. */
export function limitOfRole<Value>(limit: Limit<Value> | undefined, role: string): Value | undefined {
  if (limit === undefined) return undefined;
  return Object.hasOwn(limit.per_role, role) ? limit.per_role[role] : limit.global;
}

export interface RateLimit {
  readonly max_reqs_per_min: number;
  /** Per address, or per value of the listed session variables; absent: for all together. */
  readonly unique_params?: 'IP' | readonly string[];
}
