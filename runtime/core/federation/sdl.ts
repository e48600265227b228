/** The text of `_service { sdl }`: what a role sees, without the fields for gateways, entities marked by their keys. */
import { type DocumentNode, Kind, parse, print, printSchema, visit } from 'graphql';
import { graphqlSchema } from '../schema/graphql-schema.ts';
import { createRoleSchema, type RoleSchema } from '../schema/role-schema.ts';
import type { VisibleTable } from '../schema/visible-table.ts';

/** @param entities by the names of their types */
export function serviceSdl(role: RoleSchema, entities: ReadonlyMap<string, VisibleTable>): string {
  const { apolloFederation: _, ...options } = role.options;
  // A schema of its own, forgotten afterwards: it makes every type.
  const plain = createRoleSchema(role.program, role.role, role, options);
  const keys = new Map(
    [...entities].map(([typeName, { table }]) => [
      typeName,
      table.primaryKey.map(({ field }) => field!).join(' '),
    ]),
  );
  return print(withKeys(parse(printSchema(graphqlSchema(plain)), { noLocation: true }), keys));
}

function withKeys(document: DocumentNode, keys: ReadonlyMap<string, string>): DocumentNode {
  return visit(document, {
    enter: (node) => {
      if (node.kind === Kind.DOCUMENT) return undefined;
      const fields = node.kind === Kind.OBJECT_TYPE_DEFINITION ? keys.get(node.name.value) : undefined;
      if (node.kind !== Kind.OBJECT_TYPE_DEFINITION || fields === undefined) return false;
      return { ...node, directives: [...(node.directives ?? []), keyDirective(fields)] };
    },
  });
}

function keyDirective(fields: string) {
  return {
    kind: Kind.DIRECTIVE as const,
    name: { kind: Kind.NAME as const, value: 'key' },
    arguments: [
      {
        kind: Kind.ARGUMENT as const,
        name: { kind: Kind.NAME as const, value: 'fields' },
        value: { kind: Kind.STRING as const, value: fields },
      },
    ],
  };
}
