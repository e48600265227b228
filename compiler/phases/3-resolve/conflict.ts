/**
 * Names that two objects claim: of types, and of root fields. The API's own names come first, then namespaces of sources, types
 * of columns, and tables in their order, whatever the source. An object whose names are taken is left out as a whole, before
 * anything refers to it.
 * @rule Who keeps a name that two tables claim?
 * @rule Which names of types and root fields are taken, and by what?
 */

import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import type { RootFieldClash } from '../../../runtime/core/diagnostics/diagnostic.ts';
import {
  displayName,
  isGraphqlName,
  kindName,
  type QualifiedName,
  quotedName,
} from '../../../runtime/core/names.ts';
import type { Memory } from '../../memory/memory.ts';
import type { RootField } from '../../model/model.ts';
import { attempt, Failure, type ReportedObject } from './report.ts';
import { resolveRootFields } from './root-field.ts';
import type { SourceScope, TableScope } from './scope.ts';
import { reportedTable } from './table.ts';
import { tableTypes } from './table-types.ts';
import { claimSourceTypes, createTypeRegister, type TypeRegister } from './type-register.ts';

/** Names that are taken. */
export interface Names {
  readonly types: TypeRegister;
  readonly roots: RootFieldRegister;
}

/**
 * Claims the names of sources and tables. Leaves out tables whose names are taken.
 * @param sourceObject how a source is reported
 * @returns the scopes whose own names are free
 */
export function claimNames(
  scopes: readonly SourceScope[],
  sourceObject: (scope: SourceScope) => ReportedObject,
  memory: Memory,
): { readonly names: Names; readonly served: readonly SourceScope[] } {
  const names: Names = { types: createTypeRegister(), roots: createRootFieldRegister() };
  const served = scopes.filter((scope) =>
    attempt(scope, sourceObject(scope), () => {
      claimSourceTypes(names.types, scope.shape);
      names.roots.claimNamespace(scope);
      return true;
    }),
  );
  const eachTable = (claim: (scope: SourceScope, table: TableScope) => void) => {
    for (const scope of served)
      for (const table of scope.tables.values()) {
        const claimed = attempt(scope, reportedTable(scope, table.entry), () => {
          claim(scope, table);
          return true;
        });
        if (!claimed) scope.tables.delete(table.key);
      }
  };
  eachTable((scope, { columns, catalog }) => {
    for (const [name, { type }] of columns)
      names.types.claimColumnType(
        `column "${name}" of ${kindName('table', catalog.schema)} ${quotedName(catalog)}`,
        scope.shape,
        type,
      );
  });
  eachTable((scope, table) => {
    const roots = resolveRootFields(scope, table);
    const kind = kindName('table', table.catalog.schema);
    try {
      names.types.claim(
        `${kind} ${quotedName(table.catalog)}`,
        tableTypes(scope, table, memory),
        `${kind} ${table.key} in source ${scope.shape.name}`,
      );
    } catch (error) {
      // The API lists root fields that clash, too.
      const clashes = names.roots.clashes(scope, ownerName({ scope, table }), roots, rootTypeOf);
      throw error instanceof Failure && clashes.length > 0
        ? new Failure({ ...error.problem, clashes })
        : error;
    }
    names.roots.claim(scope, ownerName({ scope, table }), roots, rootTypeOf);
  });
  return { names, served };
}

/** Name of a table among the owners of root fields: `table author in source default`. */
export function ownerName({
  scope,
  table: { catalog },
}: {
  readonly scope: SourceScope;
  readonly table: TableScope;
}): string {
  return `table ${displayName(catalog.schema, catalog.name)} in source ${scope.source.name}`;
}

const rootTypes: Readonly<Record<RootField['kind'], string>> = {
  select: 'query_root',
  select_by_pk: 'query_root',
  select_aggregate: 'query_root',
  select_group_by: 'query_root',
  select_stream: 'subscription_root',
  insert: 'mutation_root',
  insert_one: 'mutation_root',
  update: 'mutation_root',
  update_by_pk: 'mutation_root',
  update_many: 'mutation_root',
  delete: 'mutation_root',
  delete_by_pk: 'mutation_root',
};

/** Name of a function among the owners of root fields: `function search in source default`, `native query report in source default`. */
export function functionOwner({ schema, name }: QualifiedName, source: string): string {
  return `${kindName('function', schema)} ${displayName(schema, name)} in source ${source}`;
}

/** The root type of a table's root field. */
export function rootTypeOf({ kind }: RootField): string {
  return rootTypes[kind];
}

interface Named {
  readonly name: string;
}

/** Root fields by name: the first that claims one has it. */
interface RootFieldRegister {
  /** Fields that others have, or that are listed twice. */
  readonly clashes: <Field extends Named>(
    scope: SourceScope,
    owner: string,
    fields: readonly Field[],
    rootOf: (field: Field) => string,
  ) => readonly RootFieldClash[];
  /** Takes the fields; none of them if one is taken. @throws Failure */
  readonly claim: <Field extends Named>(
    scope: SourceScope,
    owner: string,
    fields: readonly Field[],
    rootOf: (field: Field) => string,
  ) => void;
  /** Takes the name under which the root fields of a source are. @throws Failure */
  readonly claimNamespace: (scope: SourceScope) => void;
  /** Claims a name without a report. @returns false if it is taken */
  readonly claimUnused: (scope: SourceScope, owner: string, root: string, name: string) => boolean;
}

function createRootFieldRegister(): RootFieldRegister {
  const owners = new Map<string, string>();
  for (const name of ['_service', '_entities']) owners.set(`query_root  ${name}`, 'the API');
  /** Fields of queries are fields of subscriptions, too. Fields below a namespace meet only fields below the same one. */
  const placesOf = (namespace: string | undefined, root: string, name: string) =>
    (root === 'query_root' ? ['query_root', 'subscription_root'] : [root]).map(
      (each) => `${each} ${namespace ?? ''} ${name}`,
    );
  const ownerOf = (places: readonly string[]) => places.flatMap((place) => owners.get(place) ?? [])[0];
  const take = (places: readonly string[], owner: string) => {
    for (const place of places) owners.set(place, owner);
  };
  const clashes: RootFieldRegister['clashes'] = ({ shape }, second, fields, rootOf) => {
    const own = new Set<string>();
    return fields.flatMap((field): RootFieldClash[] => {
      const root = rootOf(field);
      const places = placesOf(shape.rootNamespace, root, field.name);
      const first = ownerOf(places) ?? (places.some((place) => own.has(place)) ? second : undefined);
      for (const place of places) own.add(place);
      return first === undefined ? [] : [{ root, field: field.name, first, second }];
    });
  };
  return {
    clashes,
    claim: (scope, owner, fields, rootOf) => {
      const found = clashes(scope, owner, fields, rootOf);
      if (found.length > 0)
        throw new Failure({ ...messages.rootFieldConflict({ ...found[0]! }), clashes: found });
      for (const field of fields) take(placesOf(scope.shape.rootNamespace, rootOf(field), field.name), owner);
    },
    claimNamespace: ({ shape }) => {
      const { rootNamespace: field, name } = shape;
      if (field === undefined) return;
      if (!isGraphqlName(field)) throw new Failure(messages.nameNotGraphql({ name: field }));
      const second = `namespace of source ${name}`;
      const places = ['query_root', 'mutation_root'].flatMap((root) => placesOf(undefined, root, field));
      const first = ownerOf(places);
      if (first !== undefined) {
        const clash = { root: 'query_root', field, first, second };
        throw new Failure({ ...messages.rootFieldConflict({ ...clash }), clashes: [clash] });
      }
      take(places, second);
    },
    claimUnused: ({ shape }, owner, root, name) => {
      const places = placesOf(shape.rootNamespace, root, name);
      if (ownerOf(places) !== undefined) return false;
      take(places, owner);
      return true;
    },
  };
}
