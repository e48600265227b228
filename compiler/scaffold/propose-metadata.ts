/**
 * Metadata that serves a database: its tables and views, relationships by its foreign keys, functions that return rows, limits, no
 * permissions. The compiler is the judge: what it refuses gets another name, or is left out with the reason that it gives.
 */

import type { CatalogFunction, CatalogTable, SourceCatalog } from '../../runtime/catalog/catalog.ts';
import type { Diagnostic } from '../../runtime/core/diagnostics/diagnostic.ts';
import { keyOf, type QualifiedName, tableBaseName } from '../../runtime/core/names.ts';
import type { Vocabulary } from '../../runtime/core/vocabulary.ts';
import type { JsonObject, Metadata } from '../../runtime/metadata/metadata.ts';
import {
  type SuggestedRelationship,
  suggestRelationships,
  usingOf,
} from '../../runtime/metadata/suggested-relationships.ts';
import { type CompileResult, compile } from '../index.ts';
import { readMetadata } from '../phases/1-read/index.ts';
import { enumTableReasons } from '../phases/3-resolve/enum-table.ts';
import { customColumnName, customTableName } from './served-names.ts';

/** Something that a person should know: about which object, and what. */
export interface Note {
  readonly object: string;
  readonly text: string;
}

export interface ProposedMetadata {
  readonly metadata: Metadata;
  /** Lines for the file of a table or view, by its key. */
  readonly comments: ReadonlyMap<string, string>;
  /** Served under other names. */
  readonly renamed: readonly Note[];
  readonly leftOut: readonly Note[];
  /** Names of the types of tables, in order. */
  readonly types: readonly string[];
  readonly counts: { readonly tables: number; readonly relationships: number; readonly functions: number };
}

interface TableDraft {
  readonly table: CatalogTable;
  customName?: string | undefined;
  /** Column → field. */
  readonly columns: ReadonlyMap<string, string>;
  tries: number;
}

interface FunctionDraft {
  readonly called: CatalogFunction;
  customName?: string;
}

const CONFLICTS: ReadonlySet<string> = new Set(['root-field-conflict', 'type-name-conflict']);

/**
 * Relationships lead back to where they come from, so without a limit of the depth a short query asks for more than any database
 * can answer. Seconds.
 */
const API_LIMITS = { depth_limit: { global: 10 }, time_limit: { global: 60 } };

/** Names that are tried for a table before it is left out. */
const TRIES = 3;

/**
 * @param schemas the schemas to serve; all of them unless given
 * @param foreign keys of relations that belong to extensions
 */
export function proposeMetadata(
  catalog: SourceCatalog,
  schemas: readonly string[] | undefined,
  foreign: ReadonlySet<string>,
  vocabulary: Vocabulary,
): ProposedMetadata {
  const leftOut: Note[] = [];
  const renamed: Note[] = [];
  const isWanted = ({ schema }: { readonly schema: string }) => schemas?.includes(schema) ?? true;
  const tables = draftTables(catalog.tables.filter(isWanted), foreign, leftOut);
  const functions = draftFunctions(catalog, isWanted, leftOut);
  const refused = new Map<string, 'manual' | 'left out'>();
  let previous: CompileResult | undefined;
  for (;;) {
    const served = [...tables.values()];
    const relationships = suggestedFor(served, refused);
    const calls = functions.filter(({ called }) => tables.has(keyOf(called.returns)));
    const json = document(served, relationships, refused, calls, vocabulary);
    const { value: metadata, diagnostics: unread } = readMetadata(json, { vocabulary });
    previous = compile({ metadata, vocabulary, catalogs: { default: catalog } }, previous);
    const errors = [...unread, ...previous.diagnostics].filter(({ severity }) => severity === 'error');
    if (errors.length === 0) {
      for (const draft of served) renamed.push(...renamedIn(draft));
      for (const { called, customName } of calls)
        if (customName !== undefined)
          renamed.push({ object: `function ${keyOf(called)}`, text: `is served as "${customName}"` });
      for (const each of relationships)
        if (each.name !== each.preferred)
          renamed.push({
            object: `relationship ${keyOf(each.from)}.${each.name}`,
            text: `for ${each.key.name}: the name "${each.preferred}" is taken`,
          });
      const comments = new Map(served.flatMap(commentOf));
      const counts = {
        tables: served.length,
        relationships: relationships.length,
        functions: calls.length,
      };
      const types = previous.state.model.sources.flatMap((source) =>
        source.tables.map(({ shape }) => shape.graphqlName),
      );
      return { metadata, comments, renamed, leftOut, types, counts };
    }
    for (const error of errors) mend(error);

    /** Gives what an error is about another name, or leaves it out. */
    function mend(error: Diagnostic): void {
      const [, , kind, index, list, position] = error.path;
      if (kind === 'functions') {
        const { called } = calls[index as number]!;
        const at = functions.findIndex((each) => each.called === called);
        if (at < 0) return;
        functions.splice(at, 1);
        leftOut.push({ object: `function ${keyOf(called)}`, text: reasonOf(error) });
        return;
      }
      const draft = served[index as number];
      if (kind !== 'tables' || !draft) throw new Error(`unexpected diagnostic: ${error.message}`);
      const { table } = draft;
      if (list === 'object_relationships' || list === 'array_relationships') {
        const type = list === 'object_relationships' ? 'object' : 'array';
        const own = relationships.filter((each) => each.from === table && each.type === type);
        const suggested = own[position as number];
        if (!suggested || error.because) return;
        const id = idOf(suggested);
        if (error.code === 'foreign-key-ambiguous' && !refused.has(id)) refused.set(id, 'manual');
        else {
          refused.set(id, 'left out');
          leftOut.push({
            object: `relationship ${keyOf(table)}.${suggested.name}`,
            text: `for ${suggested.key.name}: ${reasonOf(error)}`,
          });
        }
        return;
      }
      draft.tries += 1;
      if (CONFLICTS.has(error.code) && draft.tries <= TRIES) {
        const base = `${tableBaseName(table.schema, table.name)}_${table.kind.endsWith('view') || table.kind === 'materialized' ? 'view' : 'table'}`;
        draft.customName = draft.tries === 1 ? base : `${base}_${draft.tries}`;
        return;
      }
      tables.delete(keyOf(table));
      leftOut.push({ object: objectOf(table), text: reasonOf(error) });
    }
  }
}

function reasonOf({ message, details = [] }: Diagnostic): string {
  return [message, ...details].join(' ');
}

function objectOf(table: CatalogTable): string {
  const kinds: Readonly<Record<string, string>> = { view: 'view', materialized: 'materialized view' };
  return `${kinds[table.kind] ?? 'table'} ${keyOf(table)}`;
}

function draftTables(
  all: readonly CatalogTable[],
  foreign: ReadonlySet<string>,
  leftOut: Note[],
): Map<string, TableDraft> {
  const drafts = new Map<string, TableDraft>();
  const names = new Set(all.map(plainName));
  const given = new Set<string>();
  for (const table of all) {
    if (foreign.has(keyOf(table))) {
      leftOut.push({ object: objectOf(table), text: 'it belongs to an extension' });
      continue;
    }
    if (table.partitionOf) {
      const whole = keyOf(table.partitionOf);
      leftOut.push({ object: objectOf(table), text: `it is a partition: its rows are those of ${whole}` });
      continue;
    }
    const own = tableBaseName(table.schema, table.name);
    const customName = customTableName(
      table,
      (name) => !given.has(name) && (name === plainName(table) || !names.has(name)),
    );
    given.add(customName ?? own);
    const fields = new Set(table.columns.map(({ name }) => name));
    const columns = new Map<string, string>();
    for (const { name } of table.columns) {
      const field = customColumnName(name, (each) => !fields.has(each));
      if (field === undefined) continue;
      fields.add(field);
      columns.set(name, field);
    }
    drafts.set(keyOf(table), { table, customName, columns, tries: 0 });
  }
  return drafts;
}

function plainName({ schema, name }: QualifiedName): string {
  return schema === 'public' ? name : `${schema}_${name}`;
}

/** Functions that return rows of a table; those that take a row are fields of it. */
function draftFunctions(
  { functions, tables }: SourceCatalog,
  isWanted: (called: CatalogFunction) => boolean,
  leftOut: Note[],
): FunctionDraft[] {
  const relations = new Set(tables.map(keyOf));
  const overloaded = new Set(functions.map(keyOf).filter((key, index, all) => all.indexOf(key) < index));
  const names = new Set<string>();
  return functions.filter(isWanted).flatMap((called): FunctionDraft[] => {
    const row = called.arguments.find(({ type }) => !type.array && relations.has(keyOf(type)));
    if (row) {
      leftOut.push({
        object: `function ${keyOf(called)}`,
        text: `it takes a row of ${keyOf(row.type)}: a computed field of that table, once you name it below computed_fields`,
      });
      return [];
    }
    if (called.returns.array || !relations.has(keyOf(called.returns))) return [];
    if (overloaded.has(keyOf(called))) {
      const object = `function ${keyOf(called)}`;
      if (!leftOut.some((note) => note.object === object))
        leftOut.push({ object, text: 'several functions have the name: which is called could not be told' });
      return [];
    }
    const customName = customTableName(called, (name) => !names.has(name));
    names.add(customName ?? plainName(called));
    return [{ called, ...(customName !== undefined && { customName }) }];
  });
}

function suggestedFor(
  drafts: readonly TableDraft[],
  refused: ReadonlyMap<string, 'manual' | 'left out'>,
): SuggestedRelationship[] {
  const byTable = new Map(drafts.map((draft) => [draft.table, draft]));
  return suggestRelationships(
    drafts.map(({ table }) => table),
    (table) => ({
      fields: [...table.columns.map(({ name }) => name), ...byTable.get(table)!.columns.values()],
      relationships: [],
    }),
  ).filter((each) => refused.get(idOf(each)) !== 'left out');
}

function idOf({ from, key, isOwnKey }: SuggestedRelationship): string {
  return JSON.stringify([from.schema, from.name, key.oid, isOwnKey]);
}

function document(
  drafts: readonly TableDraft[],
  relationships: readonly SuggestedRelationship[],
  refused: ReadonlyMap<string, 'manual' | 'left out'>,
  functions: readonly FunctionDraft[],
  vocabulary: Vocabulary,
): JsonObject {
  const of = (table: CatalogTable, type: SuggestedRelationship['type']) =>
    relationships
      .filter((each) => each.from === table && each.type === type)
      .map((each) => ({ name: each.name, using: usingOf(each, refused.get(idOf(each)) === 'manual') }));
  return {
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        configuration: {
          connection_info: { database_url: { from_env: vocabulary.environment('DATABASE_URL') } },
        },
        tables: drafts.map(({ table, customName, columns }) => ({
          table: { schema: table.schema, name: table.name },
          ...((customName !== undefined || columns.size > 0) && {
            configuration: {
              ...(customName !== undefined && { custom_name: customName }),
              column_config: Object.fromEntries(
                [...columns].map(([column, field]) => [column, { custom_name: field }]),
              ),
            },
          }),
          object_relationships: of(table, 'object'),
          array_relationships: of(table, 'array'),
        })),
        functions: functions.map(({ called: { schema, name }, customName }) => ({
          function: { schema, name },
          ...(customName !== undefined && { configuration: { custom_name: customName } }),
        })),
      },
    ],
    api_limits: API_LIMITS,
  };
}

function renamedIn({ table, customName, columns }: TableDraft): Note[] {
  const text = (name: string) => `is served as "${name}": change it by custom_name in the file of the table`;
  return [
    ...(customName === undefined ? [] : [{ object: objectOf(table), text: text(customName) }]),
    ...[...columns].map(([column, field]) => ({
      object: `column ${keyOf(table)}.${JSON.stringify(column)}`,
      text: text(field),
    })),
  ];
}

function commentOf({ table }: TableDraft): [string, string][] {
  if (table.kind !== 'table' || enumTableReasons(table).length > 0) return [];
  return [
    [
      keyOf(table),
      '# This table looks like a list of values. Uncomment the next line to serve columns that refer to it as a GraphQL enum.\n# is_enum: true\n',
    ],
  ];
}
