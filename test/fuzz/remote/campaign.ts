/**
 * Random parts of a remote schema as permissions, and random operations against them: nothing outside the part ever leaves,
 * and presets are what the permission says, whatever the document and its variables are.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  buildSchema,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  parse,
  validate,
} from 'graphql';
import { permissionProblems } from '../../../compiler/phases/3-resolve/remote-permission.ts';
import { servedProblems } from '../../../compiler/phases/3-resolve/remote-served.ts';
import { EngineError } from '../../../runtime/core/errors.ts';
import type { JoinLevels } from '../../../runtime/core/join/join.ts';
import { linkProgram } from '../../../runtime/core/program/program.ts';
import { readRemoteDocument } from '../../../runtime/core/remotes/document.ts';
import type { RemoteJoinPart } from '../../../runtime/core/remotes/relationship.ts';
import type { RemoteRootPart } from '../../../runtime/core/remotes/remote-root.ts';
import {
  type RemoteCustomization,
  type RemoteSchemaShape,
  remoteSchema,
} from '../../../runtime/core/remotes/shapes.ts';
import { createPlanner, type Planner } from '../../../runtime/core/request/planner.ts';
import { graphqlSchema } from '../../../runtime/core/schema/graphql-schema.ts';
import { CANONICAL } from '../../../runtime/core/vocabulary.ts';
import { joinRequest, type RemoteRequest, rootRequest } from '../../../runtime/outgoing/remote/document.ts';
import { Random } from '../random.ts';
import { checkSent, OF_SESSION, problemsOf, schemaOf } from './check.ts';
import { type Request, randomRequest } from './operations.ts';
import { RELATIONSHIPS, randomCustomization, randomPart, UPSTREAM, VALUES } from './part.ts';

/** Operations of each part. */
const OPERATIONS = 20;

const SESSION = {
  vocabulary: CANONICAL,
  role: 'r',
  backendOnly: false,
  variables: { 'x-engine-role': 'r', 'x-engine-x': OF_SESSION },
};

/** An operation that sends what it must not. */
export interface RemoteFailure {
  readonly number: number;
  readonly part: string;
  readonly customization: RemoteCustomization | undefined;
  readonly request: Request | undefined;
  readonly sent: RemoteRequest | undefined;
  readonly problems: readonly string[];
}

export interface RemoteCampaign {
  readonly failed: RemoteFailure | undefined;
  readonly cases: number;
  /**
   * Documents that left, of root fields and of joins; operations that were refused; presets in the documents; values of rows that
   * were not sent.
   */
  readonly counts: { roots: number; joins: number; refused: number; presets: number; unfit: number };
}

const upstream = readRemoteDocument(UPSTREAM);
/** The schema of the other server. */
const other = buildSchema(UPSTREAM);

/** @param cases parts of the schema */
export async function runCampaign({ seed, cases }: { seed: number; cases: number }): Promise<RemoteCampaign> {
  const random = new Random(seed);
  const counts = { roots: 0, joins: 0, refused: 0, presets: 0, unfit: 0 };
  let number = 0;
  while (number < cases) {
    const part = randomPart(random);
    const schema = readPart(part);
    if (!schema || permissionProblems(part, upstream, CANONICAL).length > 0) continue;
    const customization = randomCustomization(random);
    if (servedProblems(shapeOf(part, customization), 'r', CANONICAL).length > 0) continue;
    number += 1;
    // What is referred to weakly lives as long as a turn of the event loop.
    await nextTurn();
    const planner = plannerOf(part, customization);
    const served = graphqlSchema(planner.program.roleSchema('r', false));
    const whole = graphqlSchema(planner.program.roleSchema('admin', false));
    const fail = (problems: readonly string[], request?: Request, sent?: RemoteRequest): RemoteCampaign => ({
      failed: { number, part, customization, request, sent, problems },
      cases: number,
      counts,
    });
    for (let index = 0; index < OPERATIONS; index += 1) {
      const request = randomRequest(random, whole, served);
      let sent: readonly Sent[];
      try {
        sent = documentsOf(planner, request, random, counts);
      } catch (error) {
        if (!(error instanceof EngineError)) return fail([String((error as Error).stack)], request);
        if (isValid(served, request))
          return fail([`refused although it is valid: ${error.message}`], request);
        counts.refused += 1;
        continue;
      }
      for (const { kind, document } of sent) {
        const { problems, presets } = checkSent(schema, document, kind === 'joins');
        const all = [...problemsOf(other, document), ...problems];
        if (all.length > 0) return fail(all, request, document);
        counts[kind] += 1;
        counts.presets += presets;
      }
    }
  }
  return { failed: undefined, cases: number, counts };
}

/** Whether GraphQL itself finds nothing wrong with a request. Aliases of hidden fields are this server's own. */
function isValid(schema: GraphQLSchema, { query, variables }: Request): boolean {
  if (query.includes('__join_')) return false;
  const document = parse(query);
  if (validate(schema, document).length > 0) return false;
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return false;
  if (operation.operation === 'mutation' && !schema.getMutationType()) return false;
  return getVariableValues(schema, operation.variableDefinitions ?? [], variables).errors === undefined;
}

/** undefined where a type is left without members. */
function readPart(part: string): GraphQLSchema | undefined {
  try {
    return schemaOf(part);
  } catch (error) {
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
}

function shapeOf(part: string, customization: RemoteCustomization | undefined): RemoteSchemaShape {
  return remoteSchema({
    name: 'm',
    url: 'http://x',
    timeout: 1,
    schema: UPSTREAM,
    roles: { r: part },
    ...(customization && { customization }),
    relationships: RELATIONSHIPS,
  });
}

function plannerOf(part: string, customization: RemoteCustomization | undefined): Planner {
  const program = linkProgram(
    { sources: [], tables: [], functions: [], remotes: [shapeOf(part, customization)] },
    { inferFunctionPermissions: true, remoteSchemaPermissions: true },
  );
  return createPlanner(program, { stringifyNumbers: false, collapseNulls: false });
}

interface Sent {
  readonly kind: 'roots' | 'joins';
  readonly document: RemoteRequest;
}

/** The documents that an operation sends, with some rows for each join. @throws EngineError for an operation that is refused */
function documentsOf(planner: Planner, request: Request, random: Random, counts: { unfit: number }): Sent[] {
  const { plan, variables } = planner.plan(SESSION, request);
  const values = { variables, session: SESSION };
  const steps = plan.kind === 'query' ? plan.steps : plan.fields;
  const roots = steps.map((step): Sent => {
    if (!('parts' in step)) throw new Error('a remote field is a call');
    const parts = step.parts as readonly RemoteRootPart[];
    return { kind: 'roots', document: rootRequest(parts, plan.kind, undefined, values) };
  });
  const joins = (plan.joins ?? ([] as JoinLevels)).flatMap((level) =>
    level.flatMap((each): Sent[] => {
      if (each.kind !== 'call') throw new Error('a remote field is a call');
      const entries = (each.parts as readonly RemoteJoinPart[]).flatMap((part, index) =>
        random
          .list(random.pick([1, 1, 4, 30]), () => {
            const row = [random.pick(VALUES), random.pick(VALUES)];
            const { encode } = each.joins[index]!;
            const tuple = encode ? encode(row) : row;
            if (!tuple) counts.unfit += 1;
            return tuple ? [{ part, tuple }] : [];
          })
          .flat(),
      );
      return entries.length > 0 ? [{ kind: 'joins', document: joinRequest(entries, values) }] : [];
    }),
  );
  return [...roots, ...joins];
}

export function describeFailure({
  number,
  part,
  customization,
  request,
  sent,
  problems,
}: RemoteFailure): string {
  const variables = sent && JSON.stringify([...sent.variables]);
  return `Case ${number}: ${problems.join('\n')}

part:
${part}

names: ${JSON.stringify(customization ?? {})}

request: ${request?.query}
${JSON.stringify(request?.variables)}

sent: ${sent?.query ?? 'nothing'}
${variables ?? ''}`;
}
