/** Why a role may not run an operation: the rule of the metadata that lacks something. */

import { GraphQLError } from 'graphql';
import { type EngineError, UnknownName } from '../../../runtime/core/errors.ts';
import type { Program } from '../../../runtime/core/program/program.ts';
import type { Reason } from '../../../runtime/core/reason.ts';
import { graphqlProblem } from '../../../runtime/core/reasons.ts';
import { explainUnknown } from '../../../runtime/core/schema/hidden.ts';

interface RefusingRule {
  /** Made by ruleName. */
  readonly rule: string;
  /** A sentence about the missing permission and its position in the metadata. */
  readonly text: string;
}

/**
 * The rule behind an error that says what a role does not see; undefined where no single rule is to blame.
 * @param isInherited the role has the rules of others
 */
export function refusingRule(
  program: Program,
  role: string,
  isInherited: boolean,
  error: EngineError,
): RefusingRule | undefined {
  if (!(error instanceof UnknownName)) return undefined;
  const { reason } = explainUnknown(error, program.roleSchema(role, true), role);
  if (!reason) return undefined;
  const list = reason.denied && permissionsOf(reason.denied);
  // Without a part there is no permission to point at; an inherited one is declared by its parents.
  const place =
    reason.part && !isInherited && list ? [list, role, 'permission', ...reason.part].join('.') : list;
  const why = `${reason.why.slice(0, 1).toUpperCase()}${reason.why.slice(1)}`;
  return { rule: reason.rule, text: place === undefined ? `${why}.` : `${why} (${place}).` };
}

/** The list of permissions that a rule belongs to, in names. */
function permissionsOf({ subject, operation }: NonNullable<Reason['denied']>): string {
  const { source, schema, name } = subject;
  return operation === 'function'
    ? `sources.${source.name}.functions.${schema}.${name}.permissions`
    : `sources.${source.name}.tables.${schema}.${name}.${operation}_permissions`;
}

/** The error as the list of inconsistent objects words it: fields only in the path, and types as objects. */
export function errorText(error: GraphQLError | EngineError): string {
  if (error instanceof GraphQLError) return `$.query: not GraphQL: ${graphqlProblem(error)}`;
  const path = error.path.replaceAll('.selectionSet', '');
  return `${path}: ${error.message.replace(/ not found in type: '/, " not found in object '")}`;
}
