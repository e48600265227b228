/**
 * Compares what lies below permissions: what a table, rule, preset, check, computed field or function leads to in the
 * database, whether or not a role may read it.
 */

import { DATABASE, functionKey } from '../../../runtime/catalog/objects.ts';
import { textPartsOf } from '../../../runtime/core/contract/aspects.ts';
import { objectKey } from '../../../runtime/core/names.ts';
import type { Table } from '../../../runtime/core/program/program.ts';
import { remember } from '../../../runtime/core/remember.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import {
  type DatabaseOperation,
  type DatabasePair,
  databasePairs,
  type ObjectChange,
  objectsBelow,
} from './below.ts';
import type { Finding } from './finding.ts';
import type { Matrix, Permission } from './matrix.ts';

/** A finding for each permission, function and event trigger that leads to an object which is another. */
export function belowFindings(
  base: GeneratedCode,
  head: GeneratedCode,
  before: Matrix,
  after: Matrix,
): Finding[] {
  const pairs = databasePairs(base, head);
  const reach = [...pairs].flatMap(([source, pair]) => {
    const below = createReach(pair);
    return pair.changes.size > 0 ? [[source, below] as const] : [];
  });
  return [
    ...unknownSources(base, head),
    ...[...pairs].flatMap(([source, { changes }]) =>
      (changes.get(DATABASE) ?? []).map(
        ({ text, verdict }): Finding => ({
          ...{ verdict, subject: 'rows', source },
          text: `the database of source ${source}: ${text}`,
        }),
      ),
    ),
    ...reach.flatMap(([source, below]) => [
      ...permissionFindings(source, below, head, before, after),
      ...functionFindings(source, below, before, after),
      ...eventFindings(source, below, head),
    ]),
  ];
}

function unknownSources(base: GeneratedCode, head: GeneratedCode): Finding[] {
  return [...head.databases.keys()]
    .filter(
      (source) => !base.databases.has(source) && base.program.sources.some(({ name }) => name === source),
    )
    .map((source) => ({
      ...{ verdict: 'undecidable', subject: 'rows', source },
      text: `${base.label} does not say what the database of source ${source} does by itself: compile it with this version`,
    }));
}

interface Reached extends ObjectChange {
  readonly object: string;
}

/** Changes of what an object leads to; those of the object itself are first. */
type Reach = (key: string, isWritten: boolean) => readonly Reached[];

function createReach(pair: DatabasePair): Reach {
  const known = new Map<string, Reached[]>();
  return (key, isWritten) =>
    remember(known, `${isWritten} ${key}`, () =>
      [...objectsBelow(pair, key, isWritten)].flatMap(([object, written]) =>
        (pair.changes.get(object) ?? [])
          .filter(({ operations }) => written || operations.includes('select'))
          .map((change) => ({ ...change, object })),
      ),
    );
}

function permissionFindings(
  source: string,
  reach: Reach,
  head: GeneratedCode,
  before: Matrix,
  after: Matrix,
): Finding[] {
  const idOf = ({ role, table, operation }: Permission) => JSON.stringify([role, table, operation]);
  const earlier = new Set(before.permissions.filter((each) => each.source === source).map(idOf));
  const tables = new Map(
    head.program.tables.filter((table) => table.source.name === source).map((table) => [table.key, table]),
  );
  return after.permissions.flatMap((permission): Finding[] => {
    // A permission that is new is reported as that.
    if (permission.source !== source || !earlier.has(idOf(permission))) return [];
    const { role, table, operation, columns = [], place } = permission;
    const texts = textPartsOf(permission).map(({ text }) => text);
    const mentions = (column: string) =>
      texts.some((text) => text.includes(`"${column.replaceAll('"', '""')}"`));
    const finding = (change: ObjectChange, verdict: Finding['verdict'], text: string): Finding => ({
      ...{ verdict, subject: 'rows', role, source, table, operation, text },
      ...(change.before !== undefined && { before: change.before }),
      ...(change.after !== undefined && { after: change.after }),
      ...(place && { place }),
    });
    const seen = new Set<string>();
    const told = (change: Reached, verdict: Finding['verdict'], text: string): Finding[] => {
      const id = `${change.object} ${change.text}`;
      if (seen.has(id)) return [];
      seen.add(id);
      return [finding(change, verdict, text)];
    };
    const writes = (column: string) =>
      columns.includes(column) || Object.hasOwn(permission.presets ?? {}, column);
    // What decides only what is written has nothing to do with rules.
    const concerns = ({ column, operations }: ObjectChange) =>
      column === undefined || writes(column) || (operations.includes('select') && mentions(column));
    return [
      ...reach(table, operation !== 'select').flatMap((change) => {
        const isOwn = change.object === table;
        if (isOwn && !change.operations.includes(operation)) return [];
        if (isOwn && !concerns(change)) return [];
        if (isOwn && operation === 'update' && change.updated?.every((name) => !columns.includes(name)))
          return [];
        return isOwn
          ? told(change, ownVerdict(change, permission, after), change.text)
          : told(change, 'changed meaning', `${change.object}, to which it leads: ${change.text}`);
      }),
      ...referencesOf(texts).flatMap((key) =>
        reach(key, false).flatMap((change) => {
          if (change.object === key && change.column !== undefined && !mentions(change.column)) return [];
          return told(
            change,
            'changed meaning',
            `${change.object}, which its rule goes through: ${change.text}`,
          );
        }),
      ),
      ...(permission.computedFields ?? []).flatMap((name) => {
        const called = tables.get(table)?.shape.computedFields?.[name]?.function;
        if (!called) return [];
        return reach(functionKey(called.schema, called.name), false).flatMap((change) =>
          told(change, 'changed meaning', `the computed field ${name}, by ${change.object}: ${change.text}`),
        );
      }),
    ];
  });
}

/** A unique index that is new refuses rows, and lets a role that may also update change rows by inserting them. */
function ownVerdict(
  change: Reached,
  { role, source, table, operation }: Permission,
  { permissions }: Matrix,
): Finding['verdict'] {
  const isKey = change.verdict === 'narrower' && change.kind === 'unique';
  const may = (wanted: DatabaseOperation) =>
    permissions.some(
      (each) =>
        each.role === role && each.source === source && each.table === table && each.operation === wanted,
    );
  return isKey && operation === 'insert' && may('update') ? 'wider' : change.verdict;
}

/** Keys of the relations and functions that texts of rules name. */
function referencesOf(texts: readonly string[]): string[] {
  const found = new Set<string>();
  for (const text of texts)
    for (const [, schema, name] of text.matchAll(/"((?:[^"]|"")+)"\."((?:[^"]|"")+)"/g)) {
      const [left, right] = [schema!.replaceAll('""', '"'), name!.replaceAll('""', '"')];
      found.add(objectKey(left, right)).add(functionKey(left, right));
    }
  return [...found];
}

function functionFindings(source: string, reach: Reach, before: Matrix, after: Matrix): Finding[] {
  return after.functions.flatMap((called): Finding[] => {
    if (called.source !== source) return [];
    const was = before.functions.find((each) => each.source === source && each.name === called.name);
    const roles = Object.keys(called.fields).filter((role) => was && Object.hasOwn(was.fields, role));
    const key = `${called.key}()`;
    return reach(key, false).flatMap((change) =>
      roles.map(
        (role): Finding => ({
          ...{ verdict: 'changed meaning', subject: 'rows', role, source, table: called.returns },
          text:
            change.object === key
              ? `the function ${called.name} is another`
              : `the function ${called.name} leads to ${change.object}: ${change.text}`,
        }),
      ),
    );
  });
}

/** Rows that webhooks get. */
function eventFindings(source: string, reach: Reach, { generated }: GeneratedCode): Finding[] {
  return (generated.events?.sources ?? [])
    .filter((each) => each.source === source)
    .flatMap(({ triggers }) =>
      triggers.flatMap(({ name, table }) => {
        const key = objectKey(table.schema, table.name);
        return reach(key, false)
          .filter(({ column }) => column !== undefined)
          .map(
            (change): Finding => ({
              ...{ verdict: 'changed meaning', subject: 'rows', source, table: key },
              text: `the event trigger ${name} sends its rows: ${change.text}`,
            }),
          );
      }),
    );
}

/** Whether both versions say what the database of a table does. */
export function isDescribed(
  base: GeneratedCode,
  head: GeneratedCode,
  { source }: Pick<Table, 'source'>,
): boolean {
  return base.databases.has(source.name) && head.databases.has(source.name);
}
