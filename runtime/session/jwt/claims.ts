/**
 * Reads roles and session variables from the claims of a verified token.
 * @rule Which claims become roles and session variables?
 */

import { EngineError } from '../../core/errors.ts';
import { exactJsonOr } from '../../core/json/exact-json.ts';
import type { Reason } from '../../core/reason.ts';
import { jsonKind } from '../../core/types.ts';
import type { Vocabulary } from '../../core/vocabulary.ts';
import { ACCESS_KEY, ADMIN_SECRET, ROLE } from '../variables.ts';
import { ALLOWED_ROLES, type ClaimSource, DEFAULT_ROLE, type JwtConfiguration } from './configuration.ts';
import type { Payload } from './verify.ts';

/** Roles and session variables that a token grants. */
export interface Grant {
  readonly allowedRoles: readonly string[];
  readonly defaultRole: string;
  /** Session variables but the role, by lower-case name. */
  readonly variables: Readonly<Record<string, string>>;
}

/** @throws EngineError jwt-invalid-claims or jwt-missing-role-claims */
export function readGrant(payload: Payload, configuration: JwtConfiguration, vocabulary: Vocabulary): Grant {
  const { claims: place } = configuration;
  const claims =
    place.kind === 'map'
      ? mappedClaims(payload, place.claims, configuration.claimsFormat, vocabulary)
      : ownClaims(readNamespace(payload, configuration), vocabulary);
  const allowedRoles = readAllowedRoles(claims.get(ALLOWED_ROLES), vocabulary);
  const defaultRole = claims.get(DEFAULT_ROLE);
  if (defaultRole === undefined) throw missingRole(DEFAULT_ROLE, vocabulary);
  const variables: Record<string, string> = {};
  for (const [name, value] of claims) {
    if (name === ALLOWED_ROLES) continue;
    if (typeof value !== 'string')
      throw invalid(
        `invalid ${vocabulary.fromCanonical(name)}; should be a string: ${mismatch('Text', 'String', value)}`,
      );
    if (name !== DEFAULT_ROLE && name !== ROLE && name !== ADMIN_SECRET && name !== ACCESS_KEY)
      variables[name] = value;
  }
  return { allowedRoles, defaultRole: defaultRole as string, variables };
}

function readAllowedRoles(value: unknown, vocabulary: Vocabulary): readonly string[] {
  if (value === undefined) throw missingRole(ALLOWED_ROLES, vocabulary);
  const problem = !Array.isArray(value)
    ? mismatch('[]', 'Array', value)
    : value.some((role) => typeof role !== 'string')
      ? mismatch(
          'Text',
          'String',
          value.find((role) => typeof role !== 'string'),
        )
      : undefined;
  if (problem !== undefined)
    throw invalid(
      `invalid ${vocabulary.fromCanonical(ALLOWED_ROLES)}; should be a list of roles: ${problem}`,
    );
  return value as readonly string[];
}

/** The claims of an object, by lower-case name. */
function ownClaims(namespace: Payload, vocabulary: Vocabulary): ReadonlyMap<string, unknown> {
  const claims = new Map<string, unknown>();
  for (const [key, value] of Object.entries(namespace)) {
    const name = vocabulary.toCanonical(key);
    if (name === undefined) continue;
    // Which one counts must not depend on their order.
    if (claims.has(name))
      throw invalid(`the claim ${vocabulary.fromCanonical(name)} occurs more than once, in different cases`);
    claims.set(name, value);
  }
  return claims;
}

/** Stringified: what a path leads through, and the list of roles, may be texts that hold JSON. */
function mappedClaims(
  payload: Payload,
  sources: Readonly<Record<string, ClaimSource>>,
  format: JwtConfiguration['claimsFormat'],
  vocabulary: Vocabulary,
): ReadonlyMap<string, unknown> {
  const isText = format === 'stringified_json';
  const claims = new Map<string, unknown>();
  for (const [name, source] of Object.entries(sources)) {
    const given =
      'literal' in source ? source.literal : (at(payload, source.path, isText) ?? source.otherwise);
    const value = isText && name === ALLOWED_ROLES ? heldBy(given) : given;
    if (value !== undefined) claims.set(name, value);
    else if (name === ALLOWED_ROLES || name === DEFAULT_ROLE) throw missingRole(name, vocabulary);
    else throw invalid(`JWT claim from claims_map, ${vocabulary.fromCanonical(name)} not found`);
  }
  return claims;
}

function readNamespace(payload: Payload, { claims: place, claimsFormat }: JwtConfiguration): Payload {
  let found: unknown;
  if (place.kind === 'namespace') {
    found = at(payload, [place.name]);
    if (found === undefined) throw invalid(`claims key: '${place.name}' not found`);
  } else if (place.kind === 'path') {
    found = at(payload, place.steps);
    if (found === undefined) throw invalid(`claims not found at claims_namespace_path: '${place.text}'`);
  }
  if (claimsFormat === 'json') {
    if (jsonKind(found) !== 'Object') throw invalid('expecting a json object when claims_format is json');
    return found as Payload;
  }
  if (typeof found !== 'string') throw invalid('expecting a string when claims_format is stringified_json');
  const parsed = heldBy(found);
  if (jsonKind(parsed) !== 'Object') {
    throw invalid('expecting a string that holds a json object when claims_format is stringified_json');
  }
  return parsed as Payload;
}

/** The JSON that a text holds; any other value, and a text that holds none, as it is. */
function heldBy(value: unknown): unknown {
  return typeof value === 'string' ? exactJsonOr(value, value) : value;
}

/**
 * The value at a path; null counts as absent.
 * @param isText what it leads through may be texts that hold JSON
 */
function at(payload: Payload, steps: readonly string[], isText = false): unknown {
  let value: unknown = payload;
  for (const step of steps) {
    if (isText) value = heldBy(value);
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value ?? undefined;
}

function mismatch(what: string, expected: string, found: unknown): string {
  return `parsing ${what} failed, expected ${expected}, but encountered ${jsonKind(found)}`;
}

function missingRole(claim: string, vocabulary: Vocabulary): EngineError {
  const message = `JWT claim does not contain ${vocabulary.fromCanonical(claim)}`;
  return new EngineError('jwt-missing-role-claims', message, { reason: claimsReason(message) });
}

function invalid(message: string): EngineError {
  return new EngineError('jwt-invalid-claims', message, { reason: claimsReason(message) });
}

function claimsReason(why: string): Reason {
  return { rule: 'authentication.jwt.claims', why, path: 'jwt-secret' };
}
