/**
 * Compares what the database does by itself, as far as generated code holds it: hashes of views' queries, of functions and
 * triggers, and what foreign keys do. A hash says that something changed, not what it means.
 */

import type { TableOperation } from '../../../runtime/core/contract/aspects.ts';
import type { FunctionShape } from '../../../runtime/core/contract/shapes.ts';
import { deletionOf } from '../../../runtime/core/program/deletions.ts';
import type { Table } from '../../../runtime/core/program/program.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import { isDescribed } from './diff-below.ts';
import { readsBeyond } from './diff-surroundings.ts';
import type { Finding, Verdict } from './finding.ts';
import type { Matrix } from './matrix.ts';

type Hashes = Readonly<Record<string, string>>;

/** Views, triggers, computed fields and foreign keys whose definitions changed, for the roles that meet them. */
export function databaseFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const old = new Map(base.program.tables.map((table) => [idOf(table), table]));
  return head.program.tables.flatMap((table): Finding[] => {
    const was = old.get(idOf(table));
    if (!was) return [];
    const access = head.accessOf(table);
    const place = head.locate(table.shape);
    const finding = (role: string, verdict: Verdict, text: string, operation?: TableOperation): Finding => ({
      ...{ verdict, subject: operation === 'select' ? 'columns' : 'rows', role, text },
      ...{ source: table.source.name, table: table.key },
      ...(operation && { operation }),
      ...(place && { place }),
    });
    const readers = Object.entries(access.select ?? {}).flatMap(([role, { computedFields = [] }]) => {
      const undecided = (text: string) => finding(role, 'undecidable', text, 'select');
      const described = isDescribed(base, head, table);
      return [
        ...(described ? [] : queryTexts(was, table)).map(undecided),
        ...computedFields.flatMap((name) => {
          const [before, after] = [was, table].map((each) => each.shape.computedFields?.[name]);
          if (!before || !after) return [];
          return [
            ...sessionTexts(before, after).map(([verdict, text]) =>
              finding(role, verdict, `the function that computes ${name} ${text}`, 'select'),
            ),
            ...(described || before.bodyHash === after.bodyHash
              ? []
              : [undecided(`the function that computes ${name} is defined otherwise`)]),
          ];
        }),
      ];
    });
    const writers = new Set(
      (['insert', 'update', 'delete'] as const).flatMap((operation) => Object.keys(access[operation] ?? {})),
    );
    const triggers = isDescribed(base, head, table)
      ? []
      : recordTexts(was.shape.triggers, table.shape.triggers, 'the trigger');
    return [
      ...readers,
      ...[...writers].sort().flatMap((role) => triggers.map((text) => finding(role, 'undecidable', text))),
      ...(['insert', 'update'] as const).flatMap((operation) =>
        Object.entries(isDescribed(base, head, table) ? {} : (access[operation] ?? {})).flatMap(
          ([role, { columns }]) =>
            nullTexts(was, table, columns).map(([verdict, text]) => finding(role, verdict, text, operation)),
        ),
      ),
      ...Object.keys(access.delete ?? {}).flatMap((role) =>
        deletionTexts(base, was, head, table).map(([verdict, text]) =>
          finding(role, verdict, text, 'delete'),
        ),
      ),
      ...Object.keys(access.update ?? {}).flatMap((role) =>
        (isDescribed(base, head, table) ? [] : keyChangeTexts(base, head, table)).map((text) =>
          finding(role, 'undecidable', text, 'update'),
        ),
      ),
    ];
  });
}

function idOf({ source, key }: Table): string {
  return JSON.stringify([source.name, key]);
}

/** Columns that a role writes and that may be null now, or no longer. */
function nullTexts(was: Table, now: Table, columns: readonly string[]): (readonly [Verdict, string])[] {
  return columns.flatMap((name) => {
    const [before, after] = [was.shape.columns[name], now.shape.columns[name]];
    if (!before || !after || before.notNull === after.notNull) return [];
    return [
      before.notNull
        ? (['wider', `${name} may be written as null now`] as const)
        : (['narrower', `${name} may no longer be written as null`] as const),
    ];
  });
}

function queryTexts(was: Table, now: Table): string[] {
  const called = recordTexts(was.shape.calls, now.shape.calls, 'the query calls a function:');
  if (was.shape.bodyHash === now.shape.bodyHash) return called;
  // A table that became a view is reported as such.
  if (was.shape.bodyHash === undefined || now.shape.bodyHash === undefined) return called;
  const versions = [was.source.postgres, now.source.postgres];
  const text =
    versions[0] === versions[1]
      ? 'the query of the view is another'
      : `the query of the view is printed by PostgreSQL ${versions[1]}, and was by ${versions[0]}: whether it is another is not known`;
  return [text, ...called];
}

function recordTexts(before: Hashes = {}, after: Hashes = {}, subject: string): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((name) => {
    const [old, next] = [before[name], after[name]];
    if (old === next) return [];
    if (old === undefined) return [`${subject} ${name} is new`];
    return [`${subject} ${name} ${next === undefined ? 'is gone' : 'is defined otherwise'}`];
  });
}

/** Compares the effects that deleting rows has on other tables. */
function deletionTexts(
  base: GeneratedCode,
  was: Table,
  head: GeneratedCode,
  now: Table,
): (readonly [Verdict, string])[] {
  const before = deletionOf(was.key, shapesBeside(base, was));
  const after = deletionOf(now.key, shapesBeside(head, now));
  const beyond = (some: readonly string[], others: readonly string[]) =>
    some.filter((key) => !others.includes(key)).join(', ');
  const told = (verdict: Verdict, tables: string, text: string) =>
    tables === '' ? [] : [[verdict, text.replace('%', tables)] as const];
  return [
    ...told('wider', beyond(after.deleted, before.deleted), 'deletes rows of %, too'),
    ...told('wider', beyond(after.changed, before.changed), 'clears columns of %, too'),
    ...told('not wider', beyond(before.deleted, after.deleted), 'no longer deletes rows of %'),
    ...told('not wider', beyond(before.changed, after.changed), 'no longer clears columns of %'),
  ];
}

function shapesBeside({ program }: GeneratedCode, { source }: Table) {
  return new Map(
    program.tables.filter((table) => table.source.name === source.name).map(({ key, shape }) => [key, shape]),
  );
}

/** Tables whose rows follow, otherwise than before, when a key of this one changes. */
function keyChangeTexts(base: GeneratedCode, head: GeneratedCode, table: Table): string[] {
  const actions = (code: GeneratedCode) =>
    new Map(
      [...shapesBeside(code, table)].map(([key, { onUpdate }]) => [
        key,
        JSON.stringify(onUpdate && Object.hasOwn(onUpdate, table.key) ? onUpdate[table.key] : undefined),
      ]),
    );
  const [before, after] = [actions(base), actions(head)];
  return [...after]
    .filter(([key, action]) => before.has(key) && before.get(key) !== action)
    .map(([key]) => `what a changed key does to rows of ${key} is different`);
}

/** Tracked functions that are defined otherwise, for the roles that may call them. */
export function bodyFindings(base: GeneratedCode, head: GeneratedCode, after: Matrix): Finding[] {
  const idOfFunction = ({ source, schema, name }: (typeof head.program.functions)[number]['shape']) =>
    JSON.stringify([source.name, schema, name]);
  const old = new Map(base.program.functions.map(({ shape }) => [idOfFunction(shape), shape]));
  return head.program.functions.flatMap(({ shape }, index): Finding[] => {
    const was = old.get(idOfFunction(shape));
    if (!was) return [];
    const { fields, name, returns } = after.functions[index]!;
    const place = head.locate(shape);
    const texts: (readonly [Verdict, string])[] = sessionTexts(was, shape);
    if (shape.volatile && 'mutation' in was.fields && !('mutation' in shape.fields))
      texts.push(['changed meaning', 'may write, and is no longer a mutation but a query']);
    if ('query' in was.fields && !('query' in shape.fields))
      texts.push(['not wider', 'is no longer a query but a mutation']);
    const read = was.below?.reads ? readsBeyond(shape, was) : [];
    if (read.length > 0) texts.push(['undecidable', `reads ${read.join(', ')} now`]);
    if (was.bodyHash !== shape.bodyHash && !isDescribed(base, head, shape))
      texts.push(['undecidable', 'is defined otherwise']);
    return Object.keys(fields).flatMap((role) =>
      texts.map(
        ([verdict, text]): Finding => ({
          ...{ verdict, subject: 'rows', role, source: shape.source.name, table: returns },
          text: `the function ${name} ${text}`,
          ...(place && { place }),
        }),
      ),
    );
  });
}

type Called = Pick<FunctionShape, 'sessionArgument' | 'arguments'>;

/** Who gives the argument for the session variables: the server, or clients. */
function sessionTexts(was: Called, now: Called): (readonly [Verdict, string])[] {
  const nameOf = ({ sessionArgument, arguments: all }: Called) =>
    sessionArgument === undefined ? undefined : (all[sessionArgument]?.name ?? `$${sessionArgument + 1}`);
  const [before, after] = [nameOf(was), nameOf(now)];
  if (before === after) return [];
  return [
    ...(before === undefined
      ? []
      : [['wider', `gets ${before} from clients, no longer from the session`] as const]),
    ...(after === undefined
      ? []
      : [[before === undefined ? 'narrower' : 'undecidable', `gets ${after} from the session now`] as const]),
  ];
}
