/** Root fields of tracked functions, as one role sees them. */

import { displayName } from '../names.ts';
import { FUNCTION_MUTATION, FUNCTION_RESOLVERS } from '../program/dispatch.ts';
import type { SchemaOptions, TableFunction } from '../program/program.ts';
import { lazy } from '../remember.ts';
import { ADMIN_ROLE } from '../session.ts';
import { functionInputs } from './function-arguments.ts';
import type { RootKind } from './offer.ts';
import type { RoleSchema } from './role-schema.ts';
import { typeNames } from './type-names.ts';
import {
  type ArgumentDefinition,
  byName,
  description,
  type FieldDefinition,
  type InputType,
  listOf,
  nonNull,
  type TypeReference,
} from './types.ts';

/** The fields of a function below one root. */
export function functionRootFields(
  role: RoleSchema,
  called: TableFunction,
  root: RootKind,
): FieldDefinition[] {
  const { fields, shape, returns } = called;
  const visible = role.table(returns);
  if (!visible.select || !mayCall(role.role, called, root, role.options)) return [];
  const types = role.types(returns);
  const name = displayName(shape.schema, shape.name);
  const call = `execute ${shape.sql === undefined ? 'function' : 'native query'} "${name}"`;
  const table = displayName(returns.shape.schema, returns.shape.name);
  const list = listOf(nonNull(types.object()));
  const args = argumentsType(called, role);
  const argumentsOf = (field: string): ReadonlyMap<string, ArgumentDefinition> => {
    const own = args && {
      name: 'args',
      description: `input parameters for ${shape.sql === undefined ? 'function' : 'native query'} "${field}"`,
      type: args,
    };
    return new Map([...byName(own ? [own] : []), ...types.listArguments()]);
  };
  if (root === 'mutation') {
    return [...fields.mutation].map(
      ([field, entry]): FieldDefinition => ({
        name: field,
        ...description(
          entry.description ?? shape.description,
          shape.sql === undefined
            ? `execute VOLATILE function "${name}" which returns "${table}"`
            : `${call} which writes, and returns "${table}"`,
        ),
        arguments: argumentsOf(name),
        type: shape.returns.set ? nonNull(list) : types.object(),
        meaning: {
          kind: 'mutation',
          source: called.source.name,
          resolve: (selection, args, requester) =>
            (entry.resolve ?? FUNCTION_MUTATION)({ of: shape, selection, args, requester }),
        },
      }),
    );
  }
  return [...fields.query].flatMap(([field, entry]): FieldDefinition[] => {
    const resolve = entry.resolve ?? FUNCTION_RESOLVERS[entry.field];
    const meaning: FieldDefinition['meaning'] = {
      kind: 'query',
      source: called.source.name,
      resolve: (selection, args, requester) => resolve({ of: shape, selection, args, requester }),
      ...(shape.volatile && { once: true }),
    };
    if (entry.field === 'function_aggregate') {
      if (!visible.select?.aggregations) return [];
      const text = `${call} and query aggregates on result of table type "${table}"`;
      return [
        {
          name: field,
          ...description(entry.description, text),
          arguments: argumentsOf(`${name}_aggregate`),
          type: nonNull(types.aggregate()),
          meaning,
        },
      ];
    }
    const text = `${call} which returns "${table}"`;
    const type = shape.returns.set ? nonNull(list) : types.object();
    return [
      {
        name: field,
        ...description(entry.description ?? shape.description, text),
        arguments: argumentsOf(name),
        type,
        meaning,
      },
    ];
  });
}

/**
 * Functions that only read go with the select permission on their table, unless the server wants every one permitted by
 * name, and native queries always; functions that may write, and mutations, are always permitted by name.
 */
export function mayCall(
  role: string | undefined,
  { shape }: TableFunction,
  root: RootKind,
  { inferFunctionPermissions }: SchemaOptions,
): boolean {
  if (role === ADMIN_ROLE) return true;
  const isInferred = shape.sql !== undefined || (!shape.volatile && inferFunctionPermissions);
  if (root !== 'mutation' && isInferred) return true;
  return role !== undefined && shape.roles.includes(role);
}

/** Type of the argument with the function's own arguments; undefined if clients give none. */
function argumentsType(called: TableFunction, role: RoleSchema): TypeReference | undefined {
  const { shape } = called;
  const inputs = functionInputs(
    shape.arguments,
    new Set([shape.sessionArgument]),
    role.table(called.returns),
  );
  if (inputs.length === 0) return undefined;
  const type: InputType = {
    kind: 'input',
    name: typeNames(shape).args,
    fields: lazy(() => byName(inputs)),
  };
  const required = shape.arguments.some(
    (argument, position) => position !== shape.sessionArgument && !argument.hasDefault,
  );
  return required ? nonNull(type) : type;
}
