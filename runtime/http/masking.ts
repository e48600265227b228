/** Values of GraphQL variables that logs do not show. */
import { isObject } from '../core/json/json.ts';

const MASK = '[MASKED]';

export interface Masking {
  /** The variables as they are logged. */
  readonly variables: (variables: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** The texts inside the variables that are masked, which may come back in SQL, errors and addresses. */
  readonly secrets: (variables: Readonly<Record<string, unknown>>) => readonly string[];
}

/** @returns undefined when nothing is to be masked */
export function createMasking(names: readonly string[]): Masking | undefined {
  if (names.length === 0) return undefined;
  const masked = new Set(names);
  return {
    variables: (variables) =>
      Object.fromEntries(
        Object.entries(variables).map(([name, value]) => [name, masked.has(name) ? MASK : value]),
      ),
    secrets: (variables) =>
      Object.entries(variables)
        .flatMap(([name, value]) => (masked.has(name) ? textsOf(value) : []))
        // The longest first: one may be part of another.
        .sort((left, right) => right.length - left.length),
  };
}

/** Names of fields only where nothing is below them: what holds a name holds a value of it, too. */
function textsOf(value: unknown): string[] {
  if (value === null || value === undefined || value === '') return [];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  // Numbers that keep all their digits are objects that print themselves.
  if (typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return [String(value)];
  return Object.entries(value).flatMap(([name, item]) => {
    const below = textsOf(item);
    return below.length > 0 || name === '' ? below : [name];
  });
}

/** Of logged errors: texts of this server alone. */
const WITHOUT_VALUES: ReadonlySet<string> = new Set(['code', 'statement', 'exec_status', 'status_code']);
const ARGUMENTS: ReadonlySet<string> = new Set(['arguments', 'prepared_arguments']);
/** What PostgreSQL says of a row, shortening its values: it is left out whole, since parts of a value may be left in it. */
const SHORTENED = 'description';

/** Removes the secrets from all texts of a logged value. */
export function withoutSecrets<Value>(value: Value, secrets: readonly string[]): Value {
  if (secrets.length === 0) return value;
  const bare = secrets.map(withoutEscapes);
  const plain = secrets.filter((secret, index) => secret === bare[index]);
  const escaped = bare.filter((secret, index) => secret !== '' && secret !== secrets[index]);
  const cleanText = (text: string) => {
    // Within JSON and arrays it is written with escapes, of which there may be several levels.
    const compared = escaped.length > 0 ? withoutEscapes(text) : '';
    if (escaped.some((secret) => compared.includes(secret))) return MASK;
    return plain.reduce((all, secret) => all.replaceAll(secret, MASK), text);
  };
  return clean(value, cleanText) as Value;
}

/** The text without all that is written differently within JSON and arrays. */
function withoutEscapes(text: string): string {
  return text.replace(/\\(?:u[\da-f]{4}|[bfnrt])|[\\"\p{Cc}\p{Surrogate}]/gu, '');
}

function clean(value: unknown, cleanText: (text: string) => string): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map((item) => clean(item, cleanText));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (WITHOUT_VALUES.has(key)) return [key, item];
      if (key === SHORTENED && typeof item === 'string') return [key, MASK];
      const cleaned = clean(item, cleanText);
      // An argument may be a document with secrets in it.
      if (!ARGUMENTS.has(key) || !Array.isArray(item)) return [key, cleaned];
      return [key, item.map((each, index) => (each === (cleaned as unknown[])[index] ? each : MASK))];
    }),
  );
}
