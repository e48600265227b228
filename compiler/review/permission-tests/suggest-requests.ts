/** Requests that may show the effect of a weakened permission, made of rows and values that the database has. */
import { sessionWords } from '../../../runtime/core/condition/words.ts';
import { EVERY_ROW } from '../../../runtime/core/contract/shapes.ts';
import { displayName } from '../../../runtime/core/names.ts';
import type { Table } from '../../../runtime/core/program/program.ts';
import { literalText } from '../../../runtime/core/remotes/text.ts';
import { quoteIdentifier, quoteLiteral } from '../../../runtime/core/sql/fragment.ts';
import type { Json } from '../../../runtime/metadata/metadata.ts';
import type { RequestCase } from './cases.ts';
import { fieldOf, ruleRows, subjectTable, UntriedError } from './request.ts';
import { forPresets, type SessionValues, sessionsOf } from './sessions.ts';
import type { RuleKind, TestSubject } from './subjects.ts';
import type { SuggestInput, Survivor } from './suggest.ts';
import type { Trial } from './trial.ts';

/** A case without what is expected. */
export type RequestDraft = Omit<RequestCase, 'expect' | 'file' | 'line'>;

/** Sessions, rows for each, and rows to change that are tried. */
const SOME = 3;

type Row = Readonly<Record<string, Json>>;

/** Drafts, the plainest first. Whether one shows anything is for the caller to try. */
export async function requestDrafts(input: SuggestInput, survivor: Survivor): Promise<RequestDraft[]> {
  const { mutant, subject: weakened } = survivor;
  const database = input.databases.get(mutant.source);
  const served = input.subjects.filter(
    ({ role, table, source }) =>
      role === mutant.role && table.key === mutant.table.key && source === mutant.source,
  );
  const kind: RuleKind = mutant.rule ?? (mutant.operation === 'insert' ? 'insert check' : mutant.operation);
  const original = served.find((each) => each.kind === kind);
  const subject = weakened ?? original;
  if (!database || !subject) return [];
  // Rows that the weakened rule lets through alone, or any of the rule's.
  const tried: TestSubject =
    mutant.rule === undefined
      ? subject
      : {
          ...subject,
          where: `(${weakened?.where ?? EVERY_ROW}) and (${original?.where ?? EVERY_ROW}) is not true`,
          condition: {
            kind: 'and',
            conditions: [weakened, original].flatMap((each) => (each ? [each.condition] : [])),
          },
          variables: [...new Set([weakened, original].flatMap((each) => each?.variables ?? []))],
        };
  const known = input.cases.flatMap((each) =>
    each.role === mutant.role && 'session' in each && each.session ? [each.session] : [],
  )[0];
  const usual: SessionValues = {
    ...forPresets(input.catalogs[mutant.source]!, subject),
    ...Object.fromEntries(
      Object.entries(known ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
    ),
  };
  try {
    return await database.trial(async (trial) => {
      const drafts: RequestDraft[] = [];
      for (const found of await sessionsOf(trial, tried, SOME)) {
        const session = { ...usual, ...found };
        for (const row of await rowsOf(trial, tried, session))
          drafts.push(...(await draftsOf(trial, input, survivor, { subject, kind, session, row, served })));
      }
      return drafts;
    });
  } catch (error) {
    if (error instanceof UntriedError) return [];
    throw error;
  }
}

async function rowsOf(trial: Trial, subject: TestSubject, session: SessionValues): Promise<Row[]> {
  const { shape } = subject.table;
  const texts = await ruleRows(trial, subject, subject.where, session, SOME);
  const rows = await trial.run<{ row: Row }>(
    `select row_to_json(t) as row from ${quoteIdentifier(shape.schema, shape.name)} as t where (t.*)::text = any($1)`,
    [texts],
  );
  return rows.map(({ row }) => row);
}

interface Tried {
  readonly subject: TestSubject;
  readonly kind: RuleKind;
  readonly session: SessionValues;
  readonly row: Row;
  /** Rules of the role on the table. */
  readonly served: readonly TestSubject[];
}

async function draftsOf(
  trial: Trial,
  { planner }: SuggestInput,
  { mutant: { role, table, rule } }: Survivor,
  { subject, kind, session, row, served }: Tried,
): Promise<RequestDraft[]> {
  const linked = subjectTable(subject, planner);
  const access = planner.program.access(linked);
  const visible = access.select?.[role]?.columns ?? [];
  const keys = table.shape.primaryKey?.columns ?? [];
  const canName = keys.length > 0 && keys.every((name) => visible.includes(name));
  const name = displayName(table.shape.schema, table.shape.name);
  const draft = (words: string, query: string, given?: string): RequestDraft => ({
    name: `${role}, ${name}: ${words}`,
    role,
    ...([access.insert, access.update, access.delete].some((rules) => rules?.[role]?.backendOnly) && {
      trusted: true,
    }),
    session: Object.fromEntries(Object.entries(session).map(([each, value]) => [sessionWords(each), value])),
    ...(given !== undefined && { source: subject.source, given }),
    query,
  });
  const whereOf = (each: Row) =>
    `{ ${keys.map((key) => `${fieldName(linked, key)}: { _eq: ${valueText(linked, key, each[key]!)} }`).join(', ')} }`;
  /** Conditions to ask with, each with the words for what is asked about. */
  const places = (each: Row) => [
    ...(canName ? ([[whereOf(each), `${words(each)} is not`]] as const) : []),
    ['{}', 'so many rows are'] as const,
  ];
  const words = (each: Row) => keys.map((key) => String(each[key])).join(' ') || 'a row';
  const fields = (names: readonly string[]) =>
    names.flatMap((each) => linked.columns.get(each)?.field ?? []).join(' ');
  const set = (names: readonly string[], from: Row) =>
    `{ ${names
      .filter((each) => from[each] !== undefined && linked.columns.get(each)?.field)
      .map((each) => `${fieldName(linked, each)}: ${valueText(linked, each, from[each]!)}`)
      .join(', ')} }`;
  // Presets are seen in what a write returns.
  const presets = fields(Object.keys(subject.presets).filter((each) => visible.includes(each)));
  const returned =
    rule === undefined && presets !== '' ? `{ returning { ${presets} } }` : '{ affected_rows }';
  switch (kind) {
    case 'select': {
      const read = fields(canName ? keys : visible.slice(0, 1)) || '__typename';
      return places(row).map(([where, what]) =>
        draft(`${what} read`, `{ ${fieldOf(subject, 'select')(`(where: ${where}) { ${read} }`)} }`),
      );
    }
    case 'delete':
    case 'delete check':
      return places(row).map(([where, what]) =>
        draft(
          `${what} deleted`,
          `mutation { ${fieldOf(subject, 'delete')(`(where: ${where}) { affected_rows }`)} }`,
        ),
      );
    case 'insert check': {
      const query = `mutation { ${fieldOf(subject, 'insert')(`(objects: [${set(access.insert?.[role]?.columns ?? [], row)}]) ${returned}`)} }`;
      const relation = quoteIdentifier(table.shape.schema, table.shape.name);
      const same = (keys.length > 0 ? keys : Object.keys(row))
        .map(
          (key) =>
            `${quoteIdentifier(key)} = ${quoteLiteral(typeof row[key] === 'string' ? row[key] : JSON.stringify(row[key]))}`,
        )
        .join(' and ');
      // Its place is free only then; rows that refer to it stay.
      const given = `set local session_replication_role = replica; delete from ${relation} where ${same}; set local session_replication_role = origin`;
      const what =
        rule === undefined
          ? 'the server sets columns of new rows'
          : `a row such as ${words(row)} is not inserted`;
      return [draft(what, query, given), draft(what, query)];
    }
    case 'update':
    case 'update check': {
      const columns = access.update?.[role]?.columns ?? [];
      const update = (where: string, values: string) =>
        `mutation { ${fieldOf(subject, 'update')(`(where: ${where}, _set: ${values}) ${returned}`)} }`;
      if (kind === 'update')
        return places(row).flatMap(([where, what]) =>
          columns
            .slice(0, SOME)
            .map((column) =>
              draft(
                rule === undefined ? 'the server sets columns of changed rows' : `${what} changed`,
                update(where, set([column], row)),
              ),
            ),
        );
      const filter = served.find((each) => each.kind === 'update');
      const changed = filter ? await rowsOf(trial, filter, session) : [];
      return changed.flatMap((from) => {
        const others = columns.filter((each) => from[each] !== row[each]);
        // A row that is let through already needs no other value.
        const sets =
          others.length > 0 ? [others, ...others.map((each) => [each])] : columns.map((each) => [each]);
        return sets.map((names) =>
          draft(
            `${words(from)} is not given what ${words(row)} has`,
            update(canName ? whereOf(from) : '{}', set(names, row)),
          ),
        );
      });
    }
  }
}

function fieldName(table: Table, column: string): string {
  return table.columns.get(column)!.field ?? column;
}

/** A value as GraphQL writes it; values of enum tables are names. */
function valueText({ shape }: Table, column: string, value: Json): string {
  return shape.columns[column]?.enumTable !== undefined && typeof value === 'string'
    ? value
    : literalText(value);
}
