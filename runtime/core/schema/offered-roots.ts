/**
 * Which root fields a role is offered for a table or a function, by its rules alone: without making any type.
 * @rule Which root fields is a role offered, all together?
 */

import type { SourceShape } from '../contract/shapes.ts';
import type { SchemaOptions, Table, TableFunction } from '../program/program.ts';
import type { FunctionFieldKind, RootFieldKind } from '../program/root-fields.ts';
import { mayCall } from './function-types.ts';
import { offer, type RoleRules, type RootKind } from './offer.ts';

export interface OfferedRoot<Kind extends string = string> {
  readonly root: RootKind;
  /** The name in a document; below a namespace `namespace.name`. */
  readonly name: string;
  /** `select`, `insert_one`, `function` and so on. */
  readonly kind: Kind;
}

/** Root fields of a table, those for trusted callers too. A subscription offers the fields of queries as well as its own. */
export function offeredRoots(
  { shape, source, fields }: Table,
  rules: RoleRules,
  options: SchemaOptions,
): OfferedRoot<RootFieldKind>[] {
  const { query, mutation, subscription } = fields;
  const roots = [
    ['query', query],
    ['mutation', mutation],
    ['subscription', query],
    ['subscription', subscription],
  ] as const;
  return roots.flatMap(([root, section]) =>
    [...section].flatMap(([name, { field: kind }]): OfferedRoot<RootFieldKind>[] => {
      if (kind === 'update_many' && options.hideUpdateMany) return [];
      if (offer(shape, rules, { kind, root }, true) !== true) return [];
      return [{ root, name: fullName(source, name), kind }];
    }),
  );
}

/** Root fields of a function. @param rules those for the table whose rows it returns */
export function offeredCalls(
  called: TableFunction,
  role: string,
  { select }: RoleRules,
  options: SchemaOptions,
): OfferedRoot<FunctionFieldKind>[] {
  if (!select) return [];
  const { query, mutation } = called.fields;
  const roots = [
    ['query', query],
    ['mutation', mutation],
    ['subscription', query],
  ] as const;
  return roots.flatMap(([root, section]) =>
    mayCall(role, called, root, options)
      ? [...section].flatMap(([name, { field: kind }]): OfferedRoot<FunctionFieldKind>[] =>
          kind === 'function_aggregate' && !select.aggregations
            ? []
            : [{ root, name: fullName(called.source, name), kind }],
        )
      : [],
  );
}

function fullName({ rootNamespace }: SourceShape, name: string): string {
  return rootNamespace === undefined ? name : `${rootNamespace}.${name}`;
}
