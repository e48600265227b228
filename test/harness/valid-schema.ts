/** Whether the schema of each role is one by graphql-js' own rules, and each name of a type belongs to one type. */
import {
  buildClientSchema,
  GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  introspectionFromSchema,
  validateSchema,
} from 'graphql';
import type { Program } from '../../runtime/core/program/program.ts';
import { graphqlSchema } from '../../runtime/core/schema/graphql-schema.ts';
import { reachedFrom } from '../../runtime/core/schema/introspected-schema.ts';
import { clientFormOf } from '../../runtime/core/schema/reachable-types.ts';
import type { RoleSchema } from '../../runtime/core/schema/role-schema.ts';
import { namedType, type TypeReference } from '../../runtime/core/schema/types.ts';

/** What is wrong with the schemas that a program serves: of each of its roles, admin and a role without rules, also as relay APIs. */
export function schemaProblems(program: Program): readonly string[] {
  const roles = new Set([...program.roles, 'admin', 'a role that nothing names']);
  return [...roles].flatMap((role) =>
    [false, true].flatMap((relay) => {
      // Trusted callers see what others see, and more.
      const schema = program.roleSchema(role, true, relay);
      return [...sharedNames(schema), ...invalidities(schema)].map(
        (problem) => `${role}${relay ? ' (relay)' : ''}: ${problem}`,
      );
    }),
  );
}

/** Types of one name that are not the same. */
function sharedNames({ roots }: RoleSchema): string[] {
  const problems: string[] = [];
  const forms = new Map<string, string>();
  const seen = new Set<unknown>();
  const waiting: TypeReference[] = [roots.query, roots.mutation, roots.subscription].flatMap(
    (root) => root ?? [],
  );
  for (let type = waiting.pop(); type; type = waiting.pop()) {
    const named = namedType(type);
    if (seen.has(named)) continue;
    seen.add(named);
    const form = clientFormOf(named);
    const other = forms.get(named.name);
    if (other !== undefined && other !== form) problems.push(`two types are called ${named.name}`);
    forms.set(named.name, form);
    waiting.push(...reachedFrom(named));
  }
  return problems;
}

function invalidities(role: RoleSchema): string[] {
  try {
    const schema = new GraphQLSchema({ ...graphqlSchema(role).toConfig(), assumeValid: false });
    const errors = [...validateSchema(schema)];
    if (errors.length === 0)
      errors.push(...validateSchema(buildClientSchema(introspectionFromSchema(schema))));
    return errors.map(({ message }) => message);
  } catch (error) {
    return [String(error)];
  }
}

/** What is wrong with the schema that a server shows a role, also as its relay API. */
export async function servedProblems(url: string, role: string): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const path of ['/v1/graphql', '/v1beta1/relay']) {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-engine-role': role },
      body: JSON.stringify({ query: getIntrospectionQuery() }),
    });
    const { data } = (await response.json()) as { readonly data: IntrospectionQuery };
    try {
      problems.push(...validateSchema(buildClientSchema(data)).map(({ message }) => message));
      const names = data.__schema.types.map(({ name }) => name);
      problems.push(...names.filter((name, index) => names.indexOf(name) < index));
    } catch (error) {
      problems.push(`${path}: ${error}`);
    }
  }
  return problems;
}
