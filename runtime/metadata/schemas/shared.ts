/**
 * The building blocks of the schemas. A schema takes one spelling of the metadata and gives the normalised object of
 * `model/metadata.ts`; null and absent are the same for every optional key.
 */
import { parseType } from 'graphql';
import { z } from 'zod';
import type {
  Address,
  Columns,
  FromEnvironment,
  Header,
  Json,
  JsonObject,
  QualifiedName,
} from '../metadata.ts';
import { validateNested } from '../validate.ts';

type Fields<T> = {
  readonly [Key in keyof T]-?: z.ZodType<T[Key]>;
};

/** An object with exactly these keys; keys that come out undefined are left out. */
export function object<T extends object>(fields: Fields<T>): z.ZodType<T> {
  return z
    .strictObject(fields as unknown as z.ZodRawShape)
    .transform(withoutUndefined) as unknown as z.ZodType<T>;
}

/** Like `object`, then turned into the model's shape. `make` may refuse by `fail`. */
export function objectAs<Raw extends object, T>(
  fields: Fields<Raw>,
  make: (raw: Raw, fail: (message: string, path?: (string | number)[]) => void) => T,
): z.ZodType<T> {
  return object<Raw>(fields).transform((raw, context) =>
    make(raw, (message, path = []) => {
      context.issues.push({ code: 'custom', message, path, input: raw });
    }),
  );
}

/** Removes the properties that are undefined, so that absent is absent. */
export function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, property]) => property !== undefined)) as T;
}

export function optional<T>(schema: z.ZodType<T>): z.ZodType<T | undefined> {
  return schema.nullish().transform((value) => value ?? undefined);
}

export function withDefault<T>(schema: z.ZodType<T>, fallback: T): z.ZodType<T> {
  return schema.nullish().transform((value) => value ?? fallback);
}

/** A list that may be absent, which is the same as empty. */
export function list<T>(item: z.ZodType<T>): z.ZodType<readonly T[]> {
  return withDefault<readonly T[]>(z.array(item), []);
}

export function requiredList<T>(item: z.ZodType<T>): z.ZodType<readonly T[]> {
  return z.array(item);
}

export function nonEmptyList<T>(item: z.ZodType<T>): z.ZodType<readonly T[]> {
  return z.array(item).min(1);
}

export function record<T>(value: z.ZodType<T>): z.ZodType<Readonly<Record<string, T>>> {
  return z.record(z.string(), value);
}

export function oneOf<const T extends string>(...values: T[]): z.ZodType<T> {
  return z.enum(values) as unknown as z.ZodType<T>;
}

/** A value that may be written in several forms: `pick` chooses the schema, or says why there is none. */
export function choose<T>(pick: (input: unknown) => z.ZodType<T> | string): z.ZodType<T> {
  return z.unknown().transform((input, context) => {
    if (input === undefined) {
      context.issues.push({ code: 'invalid_type', expected: 'object', input });
      return z.NEVER;
    }
    const schema = pick(input);
    if (typeof schema === 'string') {
      context.issues.push({ code: 'custom', message: schema, input });
      return z.NEVER;
    }
    return validateNested(schema, input, context) ?? z.NEVER;
  });
}

export function isObject(input: unknown): input is Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

export const text: z.ZodType<string> = z.string();
export const boolean: z.ZodType<boolean> = z.boolean();
export const flag = withDefault<boolean>(boolean, false);
export const integer: z.ZodType<number> = z.int();
export const number: z.ZodType<number> = z.number();
export const naturalNumber: z.ZodType<number> = z.int().min(0);

/** Names of sources, roles, relationships, computed fields, collections, endpoints and remote schemas. */
export const nameSchema: z.ZodType<string> = z.string().min(1);

/** Names of actions, custom types, their fields and arguments, custom names, root fields. */
export const graphqlNameSchema: z.ZodType<string> = z.string().regex(/^[_A-Za-z][_0-9A-Za-z]*$/, {
  error: (issue) => `${JSON.stringify(issue.input)} is not valid GraphQL name`,
});

/** A GraphQL type as text, such as `[String!]!`. */
export const graphqlTypeSchema: z.ZodType<string> = z.string().refine(isGraphqlType, {
  error: (issue) => `not a valid GraphQL type: ${JSON.stringify(issue.input)}`,
});

function isGraphqlType(type: string): boolean {
  try {
    parseType(type);
    return true;
  } catch {
    return false;
  }
}

/** Any JSON but an absent key. */
export const json: z.ZodType<Json> = choose(() => z.unknown() as z.ZodType<Json>);

/**
 * An object kept as it is given, every key of it: a record schema would drop the key `__proto__`, and a rule about a column
 * of that name would become a rule about nothing.
 */
export const jsonObject: z.ZodType<JsonObject> = choose(
  (input) =>
    (isObject(input) ? z.unknown() : z.record(z.string(), z.unknown())) as unknown as z.ZodType<JsonObject>,
);

const qualifiedNameObject = object<QualifiedName>({
  name: nameSchema,
  schema: withDefault(nameSchema, 'public'),
});

/** The name of a table or function: `"author"` or `{name, schema = "public"}`. */
export const qualifiedNameSchema: z.ZodType<QualifiedName> = choose((input) =>
  typeof input === 'string'
    ? nameSchema.transform((name) => ({ schema: 'public', name }))
    : qualifiedNameObject,
);

/** `"*"` or a list of column names. */
export const columnsSchema: z.ZodType<Columns> = choose<Columns>((input) =>
  input === '*' ? oneOf('*') : requiredList(text),
);

export const fromEnvironmentSchema = object<FromEnvironment>({ from_env: nameSchema });

interface RawHeader {
  name: string;
  value?: string;
  value_from_env?: string;
}

export const headerSchema = objectAs<RawHeader, Header>(
  { name: nameSchema, value: optional(text), value_from_env: optional(nameSchema) },
  ({ name, value, value_from_env }, fail) => {
    if ((value === undefined) === (value_from_env === undefined)) {
      fail('expecting only one of value or value_from_env keys');
    }
    if (value_from_env === undefined) return { name, value: value ?? '' };
    // Variables of the server itself (its secrets among them) are never sent anywhere.
    if (value_from_env.startsWith('ENGINE_GRAPHQL_')) {
      fail(
        `env variables starting with "ENGINE_GRAPHQL_" are not allowed in value_from_env: ${value_from_env}`,
      );
    }
    return { name, value_from_env };
  },
);

/**
 * One of two keys, a text or the name of an environment variable, as an address.
 * @returns undefined after `fail`, if both or neither are given.
 */
export function toAddress(
  template: string | undefined,
  variable: string | undefined,
  keys: readonly [string, string],
  fail: (message: string) => void,
): Address {
  if (template !== undefined && variable !== undefined)
    fail(`only one of ${keys[0]} or ${keys[1]} should be given`);
  if (template === undefined && variable === undefined) fail(`must provide ${keys[0]} or ${keys[1]}`);
  return variable === undefined
    ? { kind: 'template', template: template ?? '' }
    : { kind: 'environment', variable };
}
