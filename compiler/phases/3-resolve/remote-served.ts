/**
 * Whether what a role is served of a remote schema is a valid schema, with its names, presets and the types that are left.
 * @rule Is a role's part of a remote schema a valid schema?
 */
import { GraphQLSchema, validateSchema } from 'graphql';
import { linkProgram } from '../../../runtime/core/program/program.ts';
import type { RemoteSchemaShape } from '../../../runtime/core/remotes/shapes.ts';
import { graphqlSchema } from '../../../runtime/core/schema/graphql-schema.ts';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';

/** What is invalid by the rules of GraphQL, as graphql-js finds it. @param role `admin` is served everything */
export function servedProblems(shape: RemoteSchemaShape, role: string, { word }: Vocabulary): string[] {
  const program = linkProgram(
    { sources: [], tables: [], functions: [], remotes: [shape], vocabulary: word },
    { inferFunctionPermissions: true, remoteSchemaPermissions: true },
  );
  try {
    const schema = graphqlSchema(program.roleSchema(role, false));
    return validateSchema(new GraphQLSchema({ ...schema.toConfig(), assumeValid: false })).map(
      ({ message }) => message,
    );
  } catch (error) {
    // Names that GraphQL cannot have are refused when types are made.
    return [(error as Error).message];
  }
}
