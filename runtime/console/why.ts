/** Why a role is refused what an operation names: the missing permission, the roles that have it, and how to grant it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { EngineError } from '../core/errors.ts';
import type { Program } from '../core/program/program.ts';
import { type DescribedReason, describeReason, type Reason } from '../core/reason.ts';
import { remember } from '../core/remember.ts';
import { reviewNames } from '../core/schema/refused.ts';
import { ADMIN_ROLE, type Session } from '../core/session.ts';
import { jsonKind } from '../core/types.ts';
import type { LocateRule } from '../http/context.ts';
import { graphqlRequest } from '../http/graphql.ts';
import { BACKEND_ONLY } from '../session/variables.ts';
import { sessionOf } from './asked-session.ts';
import { rolesOf } from './matrix.ts';
import type { WhyAnswer } from './questions.ts';

/**
 * Reviews a request for a role, without running it.
 * @param body `{query, user}`: a GraphQL request, and the session headers that would be sent with it
 * @param locate finds a rule in the metadata
 * @throws EngineError where the body or the request cannot be read
 */
export async function whyRefused(program: Program, body: unknown, locate?: LocateRule): Promise<WhyAnswer> {
  if (jsonKind(body) !== 'Object')
    throw new EngineError(
      'parse-failed',
      `expected an object with the keys "query" and "user", but encountered ${jsonKind(body)}`,
    );
  const { query, user } = body as Record<string, unknown>;
  const session = sessionOf(user, program.vocabulary);
  const { kind, refused, applied, offeredTo } = reviewNames(program, session, graphqlRequest(query));
  const others = refused.length > 0 ? rolesOf(program).filter((role) => role !== session.role) : [];
  const having = new Map<string, string[]>();
  for (const { path, exists } of refused) having.set(path, exists ? [ADMIN_ROLE] : []);
  for (const role of others) {
    const isOffered = offeredTo(role);
    for (const { path, exists } of refused) if (exists && isOffered(path)) having.get(path)!.push(role);
    // Requests get their turn.
    await nextTurn();
  }
  const located = new Map<string, Promise<readonly string[]>>();
  const placesOf = (reason: Reason) =>
    reason.path === undefined && locate
      ? remember(located, JSON.stringify(reason), () => locate(reason))
      : Promise.resolve([]);
  return {
    kind,
    applied,
    refused: await Promise.all(
      refused.map(async ({ typeName, unknownName, path, reason }) => {
        const roles = having.get(path)!;
        const name = `${typeName}.${unknownName}`;
        if (!reason) return { name, path, roles };
        const described = describeReason(reason, await placesOf(reason));
        // A name that administrators lack as well, such as an insert into a view that takes none, is beyond permissions.
        if (roles.length === 0) return { name, path, roles, reason: described };
        return { name, path, roles, reason: described, remedy: remedy(described, session) };
      }),
    ),
  };
}

/** The change that grants the name, by the part of the metadata that withholds it. An imperative sentence. */
function remedy({ rule, part }: DescribedReason, { role, vocabulary }: Session): string {
  if (rule.startsWith('graphql_schema_introspection.')) return `Remove ${role} from disabled_for_roles.`;
  switch (part?.split('.')[0]) {
    case undefined:
      return `Add a permission for the role ${role}.`;
    case 'columns':
      return 'List the column in "columns".';
    case 'computed_fields':
      return 'List the computed field in "computed_fields".';
    case 'allow_aggregations':
      return 'Set "allow_aggregations" to true.';
    case 'query_root_fields':
    case 'subscription_root_fields':
      return `List the root field in "${part}".`;
    case 'backend_only':
      return `Send ${vocabulary.fromCanonical(BACKEND_ONLY)}: true with the admin secret, or remove "backend_only".`;
    case 'set':
      return 'Leave the column out of the request: the server sets it. Or remove it from "set" and list it in "columns".';
    default:
      return `Change "${part}" of the permission.`;
  }
}
