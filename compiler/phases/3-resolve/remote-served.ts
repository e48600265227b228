/**
 * Whether what a role is served of a remote schema is a valid schema, with its names, presets and the types that are left.
 * @rule Is a role's part of a remote schema a valid schema?
 */
import { linkProgram } from '../../../runtime/core/program/program.ts';
import type { RemoteSchemaShape } from '../../../runtime/core/remotes/shapes.ts';
import { schemaProblems } from '../../../runtime/core/schema/graphql-schema.ts';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';

/** What of a remote schema is served to whom, wherever it is. */
export type ServedRemote = Pick<RemoteSchemaShape, 'customization' | 'schema' | 'roles'>;

/** What is invalid by the rules of GraphQL, as graphql-js finds it. @param role `admin` is served everything */
export function servedProblems(served: ServedRemote, role: string, { word }: Vocabulary): string[] {
  const remote = { ...served, name: 'served', url: 'http://localhost', timeout: 0 };
  const program = linkProgram(
    { sources: [], tables: [], functions: [], remotes: [remote], vocabulary: word },
    { inferFunctionPermissions: true, remoteSchemaPermissions: true },
  );
  try {
    return schemaProblems(program.roleSchema(role, false)).map(({ message }) => message);
  } catch (error) {
    // Names that GraphQL cannot have are refused when types are made.
    return [(error as Error).message];
  }
}
