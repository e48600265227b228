/** Every read that the real projects' client programs send is planned and answered by PostgreSQL. */

import {
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  print,
  typeFromAST,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { createPlanner } from '../../runtime/core/request/planner.ts';
import { graphqlSchema } from '../../runtime/core/schema/graphql-schema.ts';
import { CANONICAL } from '../../runtime/core/vocabulary.ts';
import { executeData } from '../../runtime/graphql/execute.ts';
import { clientOperations, openProject, projectsPresent } from '../harness/real-project.ts';
import { openSource } from '../harness/source.ts';

/** Reads that are not served, by the root or nested field that they need. */
const EXCLUDED: Readonly<Record<string, readonly { readonly reason: string; readonly field: RegExp }[]>> = {
  simpipe: [{ reason: 'a stream exists in subscriptions only', field: /\brunsStream\b/ }],
  carnet: [{ reason: 'an action', field: /\bdiagnostic_pole_emploi\b/ }],
  aerie: [
    {
      reason: 'actions',
      field:
        /\b(constraintViolations|getActivityEffectiveArguments|getActivityEffectiveArgumentsBulk|getModelEffectiveArguments|getSequenceSeqJson|getActivityTypeScript|getCommandTypeScript|constraintsDslTypescript|schedulingDslTypescript|schedule|simulate|validateActivityArguments)\s*[({]/,
    },
    {
      reason: 'asks by a key that the table does not have any more',
      field: /external_source_by_pk\(id: \$/,
    },
    {
      reason: 'the function in the database refuses whoever is not of the plan',
      field: /\bget_(non_)?conflicting_activities\b/,
    },
  ],
};

/** How many reads are answered, so that none is lost unnoticed. */
const ANSWERED = {
  simpipe: 5,
  carnet: 55,
  intuition: 42,
  aerie: 90,
  cucb: 41,
  chinook: 3,
} as const;

const SAMPLES: Readonly<Record<string, unknown>> = {
  String: 'a',
  Int: 1,
  Float: 1.5,
  Boolean: true,
  uuid: '00000000-0000-4000-8000-000000000001',
  timestamptz: '2024-01-01T00:00:00Z',
  timestamp: '2024-01-01T00:00:00',
  date: '2024-01-01',
  interval: '1 day',
  numeric: '1',
  bigint: 1,
  smallint: 1,
  float8: 1.5,
  citext: 'a',
  jsonb: {},
  json: {},
};

/** A value that a variable of the type may have. */
function sample(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return sample(type.ofType);
  if (isListType(type)) return isInputObjectType(type.ofType) ? [] : [sample(type.ofType)];
  if (isInputObjectType(type)) return {};
  if (isEnumType(type)) return type.getValues()[0]!.name;
  return SAMPLES[type.name] ?? 'a';
}

function variablesOf(operation: OperationDefinitionNode, schema: GraphQLSchema): Record<string, unknown> {
  return Object.fromEntries(
    (operation.variableDefinitions ?? []).flatMap(({ variable, type }) => {
      const known = typeFromAST(schema, type as never) as GraphQLInputType | undefined;
      return known ? [[variable.name.value, sample(known)]] : [];
    }),
  );
}

/** Reads of a file, subscriptions in the form of queries: what is asked is the same. */
function readsOf(
  text: string,
): readonly { readonly query: string; readonly operation: OperationDefinitionNode }[] {
  const document = parse(text);
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  return document.definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return [];
    if (definition.operation === OperationTypeNode.MUTATION) return [];
    const operation = { ...definition, operation: OperationTypeNode.QUERY };
    return [{ operation, query: print({ ...document, definitions: [operation, ...fragments] }) }];
  });
}

describe.skipIf(!projectsPresent)('operations of real projects', () => {
  test.each(Object.entries(ANSWERED))('%s', async (name, expected) => {
    const { program, urls } = await openProject(name);
    const planner = createPlanner(program, { stringifyNumbers: false, collapseNulls: false });
    const schema = graphqlSchema(program.roleSchema('admin', true));
    const sources = new Map(
      [...urls].map(([source, url]) => [
        source,
        openSource(url, { maxConnections: 1, preparedStatements: 0 }),
      ]),
    );
    const session = {
      vocabulary: CANONICAL,
      role: 'admin',
      backendOnly: false,
      variables: { 'x-engine-role': 'admin', 'x-engine-user-id': 'a' },
    };
    const failures: string[] = [];
    let answered = 0;
    for (const { file, text } of clientOperations(name)) {
      for (const { query, operation } of readsOf(text)) {
        if (EXCLUDED[name]?.some(({ field }) => field.test(query))) continue;
        try {
          const answer = await executeData({ query, variables: variablesOf(operation, schema) }, session, {
            planner,
            sources,
          });
          expect(JSON.parse(answer)).toBeTypeOf('object');
          answered += 1;
        } catch (error) {
          failures.push(
            `${file}: ${(error as Error).message} ${JSON.stringify((error as { path?: string }).path)} ${JSON.stringify((error as { internal?: { error: unknown } }).internal?.error)}`,
          );
        }
      }
    }
    for (const source of sources.values()) await source.end();
    expect({ failures, answered }).toEqual({ failures: [], answered: expected });
  });
});
