/** The JSON of `jwt-secret`, checked whole at the start. Messages never hold the key. */

import type { KeyObject } from 'node:crypto';
import { EngineError } from '../../core/errors.ts';
import { headerProblem } from '../../core/header-text.ts';
import { isObject } from '../../core/json/json.ts';
import { jsonPathSteps } from '../../core/query/json-path.ts';
import type { Vocabulary } from '../../core/vocabulary.ts';
import { isCallable } from '../../outgoing/address.ts';
import { JWT_TYPES, type JwtType, readKey } from './keys.ts';

/** Where a request carries its token. */
export type TokenPlace =
  | { readonly type: 'Authorization' }
  | { readonly type: 'Cookie'; readonly name: string }
  | { readonly type: 'CustomHeader'; readonly name: string };

/** Where the value of one claim comes from: the configuration itself, or a path into the token with a default. */
export type ClaimSource =
  | { readonly literal: unknown }
  | { readonly path: readonly string[]; readonly otherwise: unknown };

/** Where the claims are in a token. */
type ClaimsPlace =
  | { readonly kind: 'namespace'; readonly name: string }
  | { readonly kind: 'path'; readonly text: string; readonly steps: readonly string[] }
  /** Claim in lower case → its source. */
  | {
      readonly kind: 'map';
      readonly claims: Readonly<Record<string, ClaimSource>>;
      readonly written: object;
    };

type ClaimsFormat = 'json' | 'stringified_json';

export interface JwtConfiguration {
  /** With a key: its algorithm. With `jwk_url`: the only one that is accepted, if given. */
  readonly type: JwtType | undefined;
  readonly keys:
    | { readonly kind: 'key'; readonly key: KeyObject }
    | { readonly kind: 'url'; readonly url: string };
  readonly claims: ClaimsPlace;
  readonly claimsFormat: ClaimsFormat;
  /** Undefined: not checked. */
  readonly audience: readonly string[] | undefined;
  readonly issuer: string | undefined;
  /** Seconds. */
  readonly allowedSkew: number;
  readonly place: TokenPlace;
}

export const ALLOWED_ROLES = 'x-engine-allowed-roles';
export const DEFAULT_ROLE = 'x-engine-default-role';

const KEYS = [
  'type',
  'key',
  'jwk_url',
  'claims_namespace',
  'claims_namespace_path',
  'claims_format',
  'claims_map',
  'audience',
  'issuer',
  'allowed_skew',
  'header',
] as const;

/** Reads one configuration from parsed JSON. @throws Error whose message is the reason */
export function readJwtConfiguration(value: unknown, vocabulary: Vocabulary): JwtConfiguration {
  if (!isObject(value)) throw new Error('expected a JSON object');
  // A misspelled `audience` would silently accept every audience.
  refuseUnknown('', value, KEYS);
  const type = oneOf('type', value.type, JWT_TYPES);
  return {
    type,
    keys: readKeys(value, type),
    claims: readClaimsPlace(value, vocabulary),
    claimsFormat: oneOf('claims_format', value.claims_format, ['json', 'stringified_json']) ?? 'json',
    audience: readAudience(value.audience),
    issuer: optionalString('issuer', value.issuer),
    allowedSkew: readSkew(value.allowed_skew),
    place: readPlace(value.header),
  };
}

/** Reads the JSON array of several. @throws Error whose message is the reason */
export function readJwtConfigurations(value: unknown, vocabulary: Vocabulary): readonly JwtConfiguration[] {
  if (!Array.isArray(value) || value.length === 0)
    throw new Error('expected a JSON array of one or more objects');
  return value.map((item, index) => {
    try {
      return readJwtConfiguration(item, vocabulary);
    } catch (error) {
      throw new Error(`[${index}]: ${(error as Error).message}`);
    }
  });
}

type Members = Readonly<Record<string, unknown>>;

/** @param place begins the message */
function refuseUnknown(place: string, value: Members, known: readonly string[]): void {
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Error(`${place}unknown key ${JSON.stringify(unknown)}; known: ${known.join(', ')}`);
}

function readKeys(value: Members, type: JwtType | undefined): JwtConfiguration['keys'] {
  const text = optionalString('key', value.key);
  const url = optionalString('jwk_url', value.jwk_url);
  if (text !== undefined && url !== undefined) throw new Error('key, jwk_url both cannot be present');
  if (url !== undefined) {
    if (!isCallable(url)) throw new Error('jwk_url must be an http or https address without credentials');
    return { kind: 'url', url };
  }
  if (text === undefined) throw new Error('key and jwk_url both cannot be empty');
  if (type === undefined) throw new Error(`type is needed with key: one of ${JWT_TYPES.join(', ')}`);
  return { kind: 'key', key: readKey(type, text) };
}

function readClaimsPlace(value: Members, vocabulary: Vocabulary): ClaimsPlace {
  const name = optionalString('claims_namespace', value.claims_namespace);
  const path = optionalString('claims_namespace_path', value.claims_namespace_path);
  const map = value.claims_map ?? undefined;
  if (name !== undefined && path !== undefined)
    throw new Error('claims_namespace and claims_namespace_path both cannot be set');
  if (map !== undefined) return readMap(map, vocabulary);
  if (path !== undefined) return { kind: 'path', text: path, steps: readPath('claims_namespace_path', path) };
  return { kind: 'namespace', name: name ?? vocabulary.claimsNamespace };
}

function readMap(map: unknown, vocabulary: Vocabulary): ClaimsPlace {
  if (!isObject(map)) throw new Error('claims_map: expected an object');
  const claims: Record<string, ClaimSource> = {};
  for (const [written, source] of Object.entries(map)) {
    const name = vocabulary.toCanonical(written);
    if (name === undefined)
      throw new Error(`claims_map: ${written} does not start with ${vocabulary.prefix}`);
    claims[name] = readSource(name, vocabulary.fromCanonical(name), source);
  }
  for (const role of [ALLOWED_ROLES, DEFAULT_ROLE]) {
    if (claims[role] === undefined)
      throw new Error(`claims_map: ${vocabulary.fromCanonical(role)} is expected but not found`);
  }
  return { kind: 'map', claims, written: map };
}

function readSource(name: string, written: string, source: unknown): ClaimSource {
  if (isObject(source)) {
    refuseUnknown(`claims_map: ${written}: `, source, ['path', 'default']);
    const { path, default: otherwise } = source;
    if (typeof path !== 'string') throw new Error(`claims_map: ${written}: expected {"path": "$…"}`);
    return {
      path: readPath(`claims_map: ${written}`, path),
      otherwise: otherwise === undefined ? undefined : literal(name, written, otherwise),
    };
  }
  return { literal: literal(name, written, source) };
}

function literal(name: string, written: string, value: unknown): unknown {
  if (name === ALLOWED_ROLES) {
    if (Array.isArray(value) && value.every((role) => typeof role === 'string')) return value;
    throw new Error(`claims_map: ${written} should be a list of roles`);
  }
  if (typeof value === 'string') return value;
  throw new Error(`claims_map: ${written} should be a string`);
}

function readPath(place: string, path: string): readonly string[] {
  if (!path.startsWith('$')) throw new Error(`${place}: the path has to start with $`);
  try {
    return jsonPathSteps(path, '$');
  } catch (error) {
    if (error instanceof EngineError) throw new Error(`${place}: ${error.message}`);
    throw error;
  }
}

function readAudience(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const list = Array.isArray(value) ? value : [value];
  if (list.length > 0 && list.every((item) => typeof item === 'string')) return list;
  throw new Error('audience: expected a string or a list of strings');
}

function readSkew(value: unknown): number {
  if (value === undefined || value === null) return 0;
  if (typeof value === 'number' && value >= 0) return value;
  throw new Error('allowed_skew: expected a number of seconds');
}

function readPlace(value: unknown): TokenPlace {
  if (value === undefined || value === null) return { type: 'Authorization' };
  if (!isObject(value)) throw new Error('header: expected an object');
  refuseUnknown('header: ', value, ['type', 'name']);
  const type = oneOf('header.type', value.type, ['Authorization', 'Cookie', 'CustomHeader']);
  if (type === undefined) throw new Error('header.type is missing');
  if (type === 'Authorization') return { type };
  const name = optionalString('header.name', value.name);
  if (!name) throw new Error(`header.name is needed with the type ${type}`);
  const problem = headerProblem(name, '');
  if (problem !== undefined) throw new Error(`header.name: ${problem}`);
  return { type, name };
}

function oneOf<const Choice extends string>(
  place: string,
  value: unknown,
  choices: readonly Choice[],
): Choice | undefined {
  if (value === undefined || value === null) return undefined;
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw new Error(`${place}: expected one of ${choices.join(', ')}`);
  return found;
}

function optionalString(place: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw new Error(`${place}: expected a string`);
}
