/** Kinds of option values: how each is written on the command line or in a variable, and what is wrong with a bad one. */
import { availableParallelism } from 'node:os';
import { unsendable } from '../core/header-text.ts';
import { MAX_TIMER, MAX_TIMER_SECONDS } from '../core/max-timer.ts';
import { jsonProblem } from '../core/reasons.ts';
import { isCallable } from '../outgoing/address.ts';
import { createGuard } from '../outgoing/guard.ts';

export interface OptionValue<Value> {
  /** The placeholder of the value in `--help`. */
  readonly placeholder: string;
  /** Reads the text. @throws Error whose message is the reason, without the text itself where it may be a secret */
  readonly parse: (text: string) => Value;
  /** The text of a value; absent: `String` makes it. */
  write?(value: Value): string;
}

export const text: OptionValue<string> = { placeholder: 'TEXT', parse: (value) => value };

/** A text that may be absent; the empty text counts as absent. */
export const optionalText: OptionValue<string | undefined> = {
  placeholder: 'TEXT',
  parse: (value) => (value === '' ? undefined : value),
};

/** A secret that a header brings, which may be absent. It is not shown. */
export const secret: OptionValue<string | undefined> = {
  placeholder: 'TEXT',
  parse: (value) => (value === '' ? undefined : sendable(value)),
};

/** The text itself. @throws Error if no request can bring it */
function sendable(value: string): string {
  if (value.trim() !== value)
    throw new Error('expected no white space at the ends, which headers are sent without');
  const problem = unsendable(value);
  if (problem !== undefined) throw new Error(`expected a text that a header can hold; it has ${problem}`);
  return value;
}

/** An http or https address that may be absent. It is not shown: its query may hold a key. */
export const optionalUrl: OptionValue<string | undefined> = {
  placeholder: 'URL',
  parse: (value) => {
    if (value === '') return undefined;
    if (isCallable(value)) return value;
    throw new Error('expected an http or https address without credentials');
  },
};

export const boolean: OptionValue<boolean> = {
  placeholder: 'BOOLEAN',
  parse: (value) => {
    const parsed = parseBoolean(value);
    if (parsed !== undefined) return parsed;
    throw new Error(
      'not a valid boolean text; true values are: true, t, yes, y; false values are: false, f, no, n',
    );
  },
};

/** `true t yes y` and `false f no n` in any case; undefined for anything else. */
export function parseBoolean(value: string): boolean | undefined {
  const lower = value.trim().toLowerCase();
  if (['true', 't', 'yes', 'y'].includes(lower)) return true;
  if (['false', 'f', 'no', 'n'].includes(lower)) return false;
  return undefined;
}

export function integer(least: number, most = Number.MAX_SAFE_INTEGER): OptionValue<number> {
  return {
    placeholder: 'NUMBER',
    parse: (value) => {
      if (!/^\s*-?\d+\s*$/.test(value))
        throw new Error(`expected a whole number, got ${JSON.stringify(value)}`);
      const parsed = Number(value);
      if (parsed < least) throw new Error(`expected a whole number of at least ${least}, got ${parsed}`);
      if (parsed > most) throw new Error(`expected a whole number of at most ${most}, got ${parsed}`);
      return parsed;
    },
  };
}

/** How many processes; `auto` is as many as this machine has processors for this one. */
export const workers: OptionValue<number> = {
  placeholder: 'NUMBER|auto',
  parse: (value) => (value.trim() === 'auto' ? availableParallelism() : integer(1, 1024).parse(value)),
};

/** Milliseconds that a timer can wait. */
export const milliseconds = (least: number) => integer(least, MAX_TIMER);
/** Whole seconds that a timer can wait. */
export const wholeSeconds = (least: number) => integer(least, MAX_TIMER_SECONDS);

/** Seconds that a timer can wait, fractions allowed. */
export const seconds: OptionValue<number> = {
  placeholder: 'SECONDS',
  parse: (value) => {
    if (!/^\s*\d+(\.\d+)?\s*$/.test(value)) {
      throw new Error(`expected a number of seconds, got ${JSON.stringify(value)}`);
    }
    const parsed = Number(value);
    if (parsed > MAX_TIMER_SECONDS)
      throw new Error(`expected at most ${MAX_TIMER_SECONDS} seconds, got ${value.trim()}`);
    return parsed;
  },
};

/** Seconds in which something must have happened. */
export const positiveSeconds: OptionValue<number> = {
  ...seconds,
  parse: (value) => {
    const parsed = seconds.parse(value);
    if (parsed > 0) return parsed;
    throw new Error('expected more than 0 seconds');
  },
};

/** Comma-separated; white space around the parts is dropped. */
export const list: OptionValue<readonly string[]> = {
  placeholder: 'LIST',
  parse: (value) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
};

/** Comma-separated targets of outgoing calls: host names, `*.domain`, addresses, CIDR blocks. */
export const targets: OptionValue<readonly string[]> = {
  placeholder: 'LIST',
  parse: (value) => {
    const deny = list.parse(value);
    createGuard({ allow: [], deny });
    return deny;
  },
};

export function choice<const Choice extends string>(...options: readonly Choice[]): OptionValue<Choice> {
  return {
    placeholder: options.join('|'),
    parse: (value) => {
      const found = options.find((name) => name === value.trim());
      if (found === undefined)
        throw new Error(`expected one of ${options.join(', ')}, got ${JSON.stringify(value)}`);
      return found;
    },
  };
}

/** A comma-separated list of the given names. */
export function choices<const Choice extends string>(
  options: readonly Choice[],
): OptionValue<readonly Choice[]> {
  const one = choice(...options);
  return { placeholder: 'LIST', parse: (value) => list.parse(value).map(one.parse) };
}

/** JSON that `check` converts to the value; its text is never part of an error, for it may hold secrets. */
export function json<Value>(check: (value: unknown) => Value): OptionValue<Value> {
  return {
    placeholder: 'JSON',
    parse: (value) => {
      let parsed: unknown;
      try {
        parsed = JSON.parse(value);
      } catch {
        throw new Error(
          `expected JSON: ${jsonProblem(value).replace(/^unexpected ".*"(?= at )/s, 'it is none')}`,
        );
      }
      return check(parsed);
    },
  };
}

/** A JSON array of one or more non-empty texts. */
export function secretList(value: unknown): readonly string[] {
  if (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => typeof item === 'string' && item !== '')
  ) {
    return value.map(sendable);
  }
  throw new Error('expected a JSON array of one or more non-empty texts');
}
