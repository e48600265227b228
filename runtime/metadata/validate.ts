/**
 * Checks JSON against a schema and says what is wrong in the words that clients of the metadata API know
 * (`key "x" not found`, `parsing Object failed, expected Object, but encountered String`).
 */
import type { z } from 'zod';
import type { MetadataPath } from './metadata.ts';

/** A value that does not fit. A missing key is reported at the object that lacks it. */
interface Problem {
  readonly path: MetadataPath;
  readonly message: string;
}

/** A key that no schema knows; it is read past, never an error of the schema. */
export interface UnknownKey {
  readonly path: MetadataPath;
  readonly key: string;
  /** The keys that are known at this place, for advice. */
  readonly known: readonly string[];
}

export interface Validation<Value> {
  /** Undefined exactly when there are problems. */
  readonly value: Value | undefined;
  readonly problems: readonly Problem[];
  readonly unknownKeys: readonly UnknownKey[];
}

/** Validates and normalises; never throws for bad input. Paths are relative to `input`. */
export function validate<Value>(schema: z.ZodType<Value>, input: unknown): Validation<Value> {
  const first = attempt(schema, input);
  if (first.unknownKeys.length === 0 || first.problems.length > 0) return first;
  // Unknown keys alone: read past them.
  const known = first.unknownKeys.reduce((value, { path, key }) => withoutKey(value, path, key), input);
  return { ...attempt(schema, known), unknownKeys: first.unknownKeys };
}

function attempt<Value>(schema: z.ZodType<Value>, input: unknown): Validation<Value> {
  const problems: Problem[] = [];
  const unknownKeys: UnknownKey[] = [];
  const knownKeys = new Map<string, readonly string[]>();
  const result = schema.safeParse(input, {
    error: (issue) => {
      if (issue.code === 'unrecognized_keys')
        knownKeys.set(JSON.stringify(issue.path ?? []), shapeKeys(issue.inst));
      return describeIssue(issue);
    },
  });
  if (result.success) return { value: result.data, problems, unknownKeys };
  for (const issue of result.error.issues) {
    const path = issue.path as MetadataPath;
    if (issue.code === 'unrecognized_keys') {
      const known = knownKeys.get(JSON.stringify(path)) ?? [];
      for (const key of issue.keys) unknownKeys.push({ path, key, known });
    } else if (issue.code === 'custom' && isUnknownKey(issue.params?.unknownKey)) {
      unknownKeys.push({ ...issue.params.unknownKey, path });
    } else {
      const missing = issue.message === missingKey(path.at(-1));
      problems.push({ path: missing ? path.slice(0, -1) : path, message: issue.message });
    }
  }
  return { value: undefined, problems, unknownKeys };
}

/** Passes on what `attempt` finds in a nested value; used by schemas that choose among forms. */
export function validateNested<Value>(
  schema: z.ZodType<Value>,
  input: unknown,
  context: z.RefinementCtx,
): Value | undefined {
  const { value, problems, unknownKeys } = attempt(schema, input);
  for (const { path, message } of problems) {
    context.issues.push({ code: 'custom', message, path: [...path], input, continue: true });
  }
  for (const unknownKey of unknownKeys) {
    const path = [...unknownKey.path];
    context.issues.push({ code: 'custom', path, params: { unknownKey }, input, continue: true });
  }
  return value;
}

function isUnknownKey(value: unknown): value is UnknownKey {
  return typeof value === 'object' && value !== null && 'known' in value;
}

function shapeKeys(schema: unknown): readonly string[] {
  const definition = (schema as { _zod: { def: { shape?: object } } })._zod.def;
  return Object.keys(definition.shape ?? {});
}

function missingKey(key: string | number | undefined): string {
  return `key ${JSON.stringify(key)} not found`;
}

function withoutKey(value: unknown, path: MetadataPath, key: string): unknown {
  const [segment, ...rest] = path;
  if (segment === undefined) {
    const { [key]: _, ...others } = value as Record<string, unknown>;
    return others;
  }
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  Reflect.set(copy, segment, withoutKey(Reflect.get(copy, segment), rest, key));
  return copy;
}

/** The reference's text for an issue that the schema does not word itself. */
function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  const key = issue.path?.at(-1);
  if (issue.input === undefined && typeof key === 'string') return missingKey(key);
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue.expected, issue.input);
    case 'invalid_value':
      return `expected one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}, but encountered ${JSON.stringify(issue.input)}`;
    case 'too_small':
      if (issue.origin === 'string') return 'empty string not allowed';
      if (issue.origin === 'array') return 'parsing NonEmpty failed, unexpected empty list';
      return issue.minimum === 0 ? 'unexpected negative value' : `expected at least ${issue.minimum}`;
    default:
      return undefined;
  }
}

const parsers: Readonly<Record<string, readonly [parser: string, type: string]>> = {
  string: ['Text', 'String'],
  number: ['Number', 'Number'],
  int: ['Int', 'Number'],
  boolean: ['Bool', 'Bool'],
  array: ['[]', 'Array'],
  object: ['Object', 'Object'],
  record: ['Object', 'Object'],
};

function describeType(expected: string, input: unknown): string {
  const [parser, type] = parsers[expected] ?? [expected, expected];
  if (expected === 'int' && typeof input === 'number') {
    return `parsing Int failed, value is either floating or will cause over or underflow ${input}`;
  }
  return `parsing ${parser} failed, expected ${type}, but encountered ${typeName(input)}`;
}

/** The JSON type of a value as messages name it. */
function typeName(input: unknown): string {
  if (input === null || input === undefined) return 'Null';
  if (Array.isArray(input)) return 'Array';
  const name = typeof input;
  return name === 'object' ? 'Object' : name.charAt(0).toUpperCase() + name.slice(1);
}
