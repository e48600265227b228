/**
 * The schema object of graphql-js for a role, for commands that print or compare schemas: what a client builds from the role's introspection.
 * A server does not make it: introspection is answered from the role's types (introspection.ts).
 */
import {
  buildClientSchema,
  type GraphQLError,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  Kind,
  lexicographicSortSchema,
  type OperationDefinitionNode,
  parse,
  validateSchema,
} from 'graphql';
import { lazy, remember } from '../remember.ts';
import { schemaOf } from './introspected-schema.ts';
import { IntrospectionAnswer } from './introspection-answer.ts';
import { IntrospectionSelection } from './introspection-selection.ts';
import type { RoleSchema } from './role-schema.ts';

/** Memo: a role's schema never changes. */
const schemas = new WeakMap<RoleSchema, GraphQLSchema>();

/** The schema that a role sees, everything sorted by name. Serving does not depend on it; tests validate the schemas of every kind of role. */
export function graphqlSchema(roleSchema: RoleSchema): GraphQLSchema {
  return remember(schemas, roleSchema, () =>
    lexicographicSortSchema(buildClientSchema(introspectionOf(roleSchema), { assumeValid: true })),
  );
}

/** What is invalid in the schema that a role sees, by the rules of GraphQL. @throws Error for a name that GraphQL cannot have */
export function schemaProblems(roleSchema: RoleSchema): readonly GraphQLError[] {
  return validateSchema(buildClientSchema(introspectionOf(roleSchema)));
}

function introspectionOf(roleSchema: RoleSchema): IntrospectionQuery {
  const text = IntrospectionAnswer.ofSchema(schemaOf(roleSchema), whole(), { left: Infinity });
  return { __schema: JSON.parse(text) };
}

/** All that introspection can tell of a schema. */
const whole = lazy(() => {
  const document = parse(
    getIntrospectionQuery({
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      inputValueDeprecation: true,
      oneOf: true,
    }),
  );
  const fragments = new Map(
    document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
    ),
  );
  const { selectionSet } = document.definitions.find(
    (each): each is OperationDefinitionNode => each.kind === Kind.OPERATION_DEFINITION,
  )!;
  return new IntrospectionSelection(fragments, {}, '$').of('query_root', [selectionSet])[0]!.below;
});
