/** What a role reads by requests: every secret in the answers to everything that it may ask, two levels deep. */

import { EngineError } from '../../../runtime/core/errors.ts';
import type { Program } from '../../../runtime/core/program/program.ts';
import { createPlanner } from '../../../runtime/core/request/planner.ts';
import { type FieldDefinition, namedType } from '../../../runtime/core/schema/types.ts';
import { CANONICAL } from '../../../runtime/core/vocabulary.ts';
import type { SourceConnection } from '../../../runtime/database/source.ts';
import { executeData } from '../../../runtime/graphql/execute.ts';
import { SERVING } from '../../harness/compile.ts';
import { SECRETS, type Variables } from './world.ts';

const DEPTH = 3;

/** Names of the root fields that a role is offered, as `query item`; `trusted` callers have more. */
export function rootFields(program: Program, role: string, trusted: boolean): ReadonlySet<string> {
  const { roots } = program.roleSchema(role, trusted);
  return new Set(
    (['query', 'mutation', 'subscription'] as const).flatMap((root) =>
      [...(roots[root]?.fields().values() ?? [])]
        .filter(({ meaning }) => ['query', 'mutation', 'stream'].includes(meaning.kind))
        .map(({ name }) => `${root} ${name}`),
    ),
  );
}

/** The secrets that a session reads. */
export async function secretsOf(
  program: Program,
  role: string,
  variables: Variables,
  connection: SourceConnection,
): Promise<ReadonlySet<string>> {
  const fields = selections(program.roleSchema(role, false).roots.query?.fields() ?? new Map(), DEPTH);
  const found = new Set<string>();
  if (fields === '') return found;
  const session = {
    vocabulary: CANONICAL,
    role,
    backendOnly: false,
    variables: { 'x-engine-role': role, ...variables },
  };
  const execution = { planner: createPlanner(program, SERVING), sources: new Map([['default', connection]]) };
  const collect = (value: unknown): void => {
    if (typeof value === 'string' && SECRETS.test(value)) found.add(value);
    else if (typeof value === 'object' && value !== null)
      for (const each of Object.values(value)) collect(each);
  };
  try {
    collect(JSON.parse(await executeData({ query: `{ ${fields} }` }, session, execution)));
  } catch (error) {
    // Nothing to ask for.
    if (!(error instanceof EngineError)) throw error;
  }
  return found;
}

/** Everything below the fields that need no argument. */
function selections(fields: ReadonlyMap<string, FieldDefinition>, depth: number): string {
  const texts: string[] = [];
  for (const { name, type, meaning, arguments: args } of fields.values()) {
    if (name.startsWith('__') || ['introspection', 'constant', 'typename'].includes(meaning.kind)) continue;
    if ([...args.values()].some((each) => each.type.kind === 'nonNull' && each.defaultValue === undefined))
      continue;
    const named = namedType(type);
    if (named.kind !== 'object') {
      texts.push(name);
      continue;
    }
    const inside = depth > 0 ? selections(named.fields(), depth - 1) : '';
    if (inside !== '') texts.push(`${name} { ${inside} }`);
  }
  return texts.join(' ');
}
