/**
 * Random parts of a remote schema as permissions, and random operations against them: nothing outside the part ever leaves,
 * and presets are what the permission says, whatever the document and its variables are.
 */
import { GraphQLError, type GraphQLSchema } from 'graphql';
import { permissionProblems } from '../../../compiler/phases/3-resolve/remote-permission.ts';
import { EngineError } from '../../../runtime/core/errors.ts';
import type { JoinLevels } from '../../../runtime/core/join/join.ts';
import { linkProgram } from '../../../runtime/core/program.ts';
import { readRemoteDocument } from '../../../runtime/core/remotes/document.ts';
import type { RemoteJoinPart } from '../../../runtime/core/remotes/relationship.ts';
import type { RemoteRootPart } from '../../../runtime/core/remotes/remote-root.ts';
import { remoteSchema } from '../../../runtime/core/remotes/shapes.ts';
import { createPlanner, type Planner } from '../../../runtime/core/request/planner.ts';
import { joinRequest, type RemoteRequest, rootRequest } from '../../../runtime/remote/document.ts';
import { Random } from '../random.ts';
import { checkSent, KEY, OF_SESSION, schemaOf } from './check.ts';
import { type Request, randomRequest } from './operations.ts';
import { membersOf, RELATIONSHIPS, randomPart, UPSTREAM } from './part.ts';

/** Operations of each part. */
const OPERATIONS = 20;

const SESSION = {
  role: 'r',
  backendOnly: false,
  variables: { 'x-engine-role': 'r', 'x-engine-x': OF_SESSION },
};

/** An operation that sends what it must not. */
export interface RemoteFailure {
  readonly number: number;
  readonly part: string;
  readonly request: Request;
  readonly sent: RemoteRequest | undefined;
  readonly problems: readonly string[];
}

export interface RemoteCampaign {
  readonly failed: RemoteFailure | undefined;
  readonly cases: number;
  /** Documents that left, of root fields and of joins; operations that were refused; presets in the documents. */
  readonly counts: { roots: number; joins: number; refused: number; presets: number };
}

/** @param cases parts of the schema */
export function runCampaign({ seed, cases }: { seed: number; cases: number }): RemoteCampaign {
  const upstream = readRemoteDocument(UPSTREAM);
  const random = new Random(seed);
  const counts = { roots: 0, joins: 0, refused: 0, presets: 0 };
  let number = 0;
  while (number < cases) {
    const part = randomPart(random);
    const schema = readPart(part);
    if (!schema || permissionProblems(part, upstream).length > 0) continue;
    number += 1;
    const members = membersOf(part);
    const planner = plannerOf(part);
    for (let index = 0; index < OPERATIONS; index += 1) {
      const request = randomRequest(random, members);
      let sent: readonly Sent[];
      try {
        sent = documentsOf(planner, request);
      } catch (error) {
        if (!(error instanceof EngineError)) {
          const problems = [String((error as Error).stack)];
          return { failed: { number, part, request, sent: undefined, problems }, cases: number, counts };
        }
        counts.refused += 1;
        continue;
      }
      for (const { kind, document } of sent) {
        const { problems, presets } = checkSent(schema, document, kind === 'joins');
        if (problems.length > 0)
          return { failed: { number, part, request, sent: document, problems }, cases: number, counts };
        counts[kind] += 1;
        counts.presets += presets;
      }
    }
  }
  return { failed: undefined, cases: number, counts };
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

function plannerOf(part: string): Planner {
  const shape = remoteSchema({
    name: 'm',
    url: 'http://x',
    timeout: 1,
    schema: UPSTREAM,
    roles: { r: part },
    relationships: RELATIONSHIPS!,
  });
  const program = linkProgram(
    { sources: [], tables: [], functions: [], remotes: [shape] },
    { inferFunctionPermissions: true, remoteSchemaPermissions: true },
  );
  return createPlanner(program, { stringifyNumbers: false, collapseNulls: false });
}

interface Sent {
  readonly kind: 'roots' | 'joins';
  readonly document: RemoteRequest;
}

/** The documents that an operation sends, with one row for each join. @throws EngineError for an operation that is refused */
function documentsOf(planner: Planner, request: Request): Sent[] {
  const { plan, variables } = planner.plan(SESSION, request);
  const values = { variables, session: SESSION };
  const steps = plan.kind === 'query' ? plan.steps : plan.fields;
  const roots = steps.map((step): Sent => {
    if (!('parts' in step)) throw new Error('a remote field is a call');
    const parts = step.parts as readonly RemoteRootPart[];
    return { kind: 'roots', document: rootRequest(parts, plan.kind, undefined, values) };
  });
  const joins = (plan.joins ?? ([] as JoinLevels)).flatMap((level) =>
    level.map((each): Sent => {
      if (each.kind !== 'call') throw new Error('a remote field is a call');
      const entries = (each.parts as readonly RemoteJoinPart[]).map((part) => ({
        part,
        tuple: [JSON.stringify(KEY)],
      }));
      return { kind: 'joins', document: joinRequest(entries, values) };
    }),
  );
  return [...roots, ...joins];
}

export function describeFailure({ number, part, request, sent, problems }: RemoteFailure): string {
  const variables = sent && JSON.stringify([...sent.variables]);
  return `Case ${number}: ${problems.join('\n')}

part:
${part}

request: ${request.query}
${JSON.stringify(request.variables)}

sent: ${sent?.query ?? 'nothing'}
${variables ?? ''}`;
}
