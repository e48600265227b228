/**
 * What inserts of related rows together write and copy: the row that refers to the other one gets its key, whether or not the
 * role may write that column, or read the one that it is copied from. Only a preset is stronger.
 */
import type { Relationship, Table } from '../../../runtime/core/program/program.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import type { Finding } from './finding.ts';
import { type AccessPath, type PathScope, pathRules } from './path.ts';
import { tablesTowards } from './ways.ts';

/** A relationship along which a role inserts rows of two tables together. */
export interface Nesting {
  /** The table whose rows hold the others in the request. */
  readonly from: Table;
  readonly relationship: Relationship;
  /** `ticket.messages`. */
  readonly field: string;
  readonly backendOnly?: true;
}

/** A column that gets its value from a column of the other row. */
interface CopiedKey {
  readonly nesting: Nesting;
  readonly table: Table;
  readonly column: string;
  readonly source: Table;
  readonly copied: string;
}

/** The relationships by which a role inserts rows of a table together with the rows that hold them. */
export function nestingsOf({ program, roleSchema }: PathScope, table: Table): Nesting[] {
  const own = roleSchema.table(table).insert;
  if (!own) return [];
  return [...tablesTowards(program, table)].flatMap((from) => {
    const { insert } = roleSchema.table(from);
    if (!insert) return [];
    return [...from.relationships.values()]
      .filter(({ target, columns }) => target === table && columns.length > 0)
      .map((relationship) => ({
        ...{ from, relationship, field: `${from.shape.graphqlName}.${relationship.field}` },
        ...((own.backendOnly || insert.backendOnly) && { backendOnly: true as const }),
      }));
  });
}

/** Whether the row that holds the other determines the column: then the request may not give it. */
export function determines({ relationship: { columns, shape } }: Nesting, column: string): boolean {
  return !isFirst(shape) && columns.some(([, { name }]) => name === column);
}

/** The row that is referred to comes first. */
function isFirst({ kind, insertAfter }: Relationship['shape']): boolean {
  return kind === 'object' && !insertAfter;
}

function keysOf(scope: PathScope, nesting: Nesting): CopiedKey[] {
  const { from, relationship } = nesting;
  const { target, columns, shape } = relationship;
  const takes = isFirst(shape);
  const table = takes ? from : target;
  const presets = scope.roleSchema.table(table).insert?.presets ?? {};
  return columns.flatMap(([{ name: own }, { name: other }]) => {
    const [column, copied] = takes ? [own, other] : [other, own];
    if (Object.hasOwn(presets, column)) return [];
    return [{ nesting, table, column, source: takes ? target : from, copied }];
  });
}

/** The keys that inserts of the role copy into or from the columns of a table. */
function keysBeside(scope: PathScope, table: Table): CopiedKey[] {
  const own = [...table.relationships.values()].flatMap(({ target }) => nestingsOf(scope, target));
  const nestings = [...nestingsOf(scope, table), ...own.filter(({ from }) => from === table)];
  return [...new Set(nestings)].flatMap((nesting) => keysOf(scope, nesting));
}

/** The paths by which nested inserts write a column with the key of another row. */
export function copiedKeyPaths(scope: PathScope, table: Table, column: string): AccessPath[] {
  return unique(keysBeside(scope, table))
    .filter((key) => key.table === table && key.column === column)
    .map(({ nesting, source, copied }) => ({
      ...pathOf(scope, nesting),
      access: 'write',
      note: `the value of ${copied} of the row of ${source.key} that is inserted together with it`,
    }));
}

/** The paths by which a role reads a column of a row where nested inserts copy it to, although it may not read the column itself. */
export function copiedValuePaths(scope: PathScope, table: Table, column: string): AccessPath[] {
  if (scope.roleSchema.table(table).select?.readable.has(column)) return [];
  return unique(keysBeside(scope, table))
    .filter((key) => key.source === table && key.copied === column)
    .filter((key) => scope.roleSchema.table(key.table).select?.readable.has(key.column))
    .map((key) => ({
      ...pathOf(scope, key.nesting),
      access: 'read',
      note: `copied into ${key.column} of ${key.table.key}, for rows that are inserted together or found by on_conflict`,
    }));
}

function pathOf(
  scope: PathScope,
  { from, relationship: { target }, field, backendOnly }: Nesting,
): Omit<AccessPath, 'access'> {
  return {
    ...{ role: scope.role, via: 'nested insert', fields: [field] },
    rules: [from, ...(target === from ? [] : [target])].flatMap((each) => pathRules(scope, each, 'insert')),
    ...(backendOnly && { backendOnly }),
  };
}

function unique(keys: readonly CopiedKey[]): CopiedKey[] {
  const idOf = ({ nesting, column, copied }: CopiedKey) => `${nesting.field} ${column} ${copied}`;
  return [...new Map(keys.map((key) => [idOf(key), key])).values()];
}

interface Gain {
  readonly finding: Omit<Finding, 'verdict' | 'text'>;
  readonly text: string;
  /** The role may do it without nested inserts, too. */
  readonly isFree: boolean;
}

/** Columns that a role writes or learns by nested inserts, and by nothing that is compared elsewhere. */
export function nestedInsertFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const [before, after] = [gainsOf(base), gainsOf(head)];
  const beyond = (some: ReadonlyMap<string, Gain>, others: ReadonlyMap<string, Gain>) =>
    [...some].flatMap(([id, gain]) => (gain.isFree || others.has(id) ? [] : [gain]));
  return [
    ...beyond(after, before).map(
      ({ finding, text }): Finding => ({ verdict: 'wider', ...finding, text: `may now ${text}` }),
    ),
    ...beyond(before, after).map(
      ({ finding, text }): Finding => ({ verdict: 'narrower', ...finding, text: `may no longer ${text}` }),
    ),
  ];
}

function gainsOf(code: GeneratedCode): Map<string, Gain> {
  const found = new Map<string, Gain>();
  const { program } = code;
  for (const role of code.roles) {
    const inserting = program.tables.filter((table) =>
      Object.hasOwn(code.accessOf(table).insert ?? {}, role),
    );
    if (inserting.length === 0) continue;
    const scope: PathScope = { code, program, roleSchema: program.roleSchema(role, true), role };
    for (const target of inserting)
      for (const nesting of nestingsOf(scope, target))
        for (const { table, column, source, copied } of keysOf(scope, nesting)) {
          const add = (of: Table, operation: 'insert' | 'select', what: string, isFree: boolean) => {
            const finding = {
              ...{ subject: 'columns' as const, role, source: of.source.name, table: of.key, operation },
            };
            // A relationship that only got another name leads to the same columns.
            const id = JSON.stringify([finding, what, table.key, column, source.key, copied]);
            found.set(id, { finding, text: `${what} by nested inserts, along ${nesting.field}`, isFree });
          };
          const [written, read] = [table, source].map((each) => scope.roleSchema.table(each));
          add(table, 'insert', `write ${column}`, written!.insert!.columns.includes(column));
          if (written!.select?.readable.has(column))
            add(
              source,
              'select',
              `learn ${copied}, which is copied into ${column} of ${table.key},`,
              read!.select?.readable.has(copied) === true,
            );
        }
  }
  return found;
}
