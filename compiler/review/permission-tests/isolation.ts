/**
 * Isolation of a row rule, by trying it: its rows have to depend on every session variable that it names, and a session
 * that lacks one, or has an empty one, must not reach more rows than every session does.
 */
import type { SessionValues } from './sessions.ts';

export interface Check {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'unproven';
  /** Why it failed, or why it proves nothing. */
  readonly reason?: string;
}

/** The rows that a session reaches, named so that two sessions can be compared; undefined when the request is refused. */
export type ReadRows = (session: SessionValues) => Promise<ReadonlySet<string> | undefined>;

export interface RuleIsolation {
  /** Session variables that the rule names. */
  readonly variables: readonly string[];
  readonly sessions: readonly SessionValues[];
  /** Columns that the variable is compared with, to be named in messages. */
  readonly comparedWith: (variable: string) => readonly string[];
  /** Whether no row is reached unless it has the variable's value in it. */
  readonly isGuard: (variable: string) => boolean;
  readonly rowsOf: ReadRows;
  /** Whether what is compared with the variable differs between sessions, whatever else lets their rows through. */
  readonly canDiffer: (variable: string, sessions: readonly SessionValues[]) => Promise<boolean>;
}

/** Tries a rule with sessions; what cannot be shown with the rows there are is `unproven`. */
export async function checkIsolation(rule: RuleIsolation): Promise<Check[]> {
  const { variables, sessions, rowsOf } = rule;
  const seen: Seen[] = [];
  for (const session of sessions) {
    const rows = await rowsOf(session);
    if (rows) seen.push({ session, rows });
  }
  if (!seen.some(({ rows }) => rows.size > 0))
    return unproven(
      variables,
      sessions.length === 0 ? 'no rows to take session variables from' : 'no session reaches a row',
    );
  const checks: Check[] = [];
  for (const variable of variables) {
    const groups = groupByOthers(variable, seen);
    checks.push(await dependsOn(variable, groups, rule));
    for (const [what, value] of [
      ['no', undefined],
      ['an empty', ''],
      ['a null', 'null'],
    ] as const)
      checks.push(
        await nothingMore(
          `a session with ${what} ${variable} reaches only rows that every session reaches`,
          groups,
          (others) => rowsOf(value === undefined ? others : { ...others, [variable]: value }),
        ),
      );
    if (rule.isGuard(variable)) checks.push(await guards(variable, groups, rowsOf));
  }
  return checks;
}

export function unproven(variables: readonly string[], reason: string): Check[] {
  return variables.map((variable) => ({ name: `rows depend on ${variable}`, outcome: 'unproven', reason }));
}

interface Seen {
  readonly session: SessionValues;
  readonly rows: ReadonlySet<string>;
}

/** Sessions that differ in one variable alone. */
interface Group {
  readonly others: SessionValues;
  readonly seen: readonly Seen[];
}

function groupByOthers(variable: string, seen: readonly Seen[]): Group[] {
  const groups = new Map<string, { others: SessionValues; seen: Seen[] }>();
  for (const each of seen) {
    const { [variable]: _, ...others } = each.session;
    const key = JSON.stringify(others);
    const group = groups.get(key) ?? { others, seen: [] };
    group.seen.push(each);
    groups.set(key, group);
  }
  return [...groups.values()];
}

async function dependsOn(
  variable: string,
  groups: readonly Group[],
  { canDiffer, comparedWith }: RuleIsolation,
): Promise<Check> {
  const name = `rows depend on ${variable}`;
  const comparable = groups.filter(({ seen }) => seen.length > 1 && seen.some(({ rows }) => rows.size > 0));
  if (comparable.length === 0)
    return {
      name,
      outcome: 'unproven',
      reason: `no two sessions differ in ${variable} alone and reach a row: give rows with other values of ${comparedWith(variable).join(', ') || 'what it is compared with'}`,
    };
  if (comparable.some(({ seen: [first, ...rest] }) => rest.some(({ rows }) => !sameRows(rows, first!.rows))))
    return { name, outcome: 'passed' };
  for (const { seen } of comparable)
    if (
      await canDiffer(
        variable,
        seen.map(({ session }) => session),
      )
    )
      return {
        name,
        outcome: 'failed',
        reason: `sessions that differ in ${variable} alone reach the same rows; if these rows just happen to belong to all of them, give others with --seed`,
      };
  return { name, outcome: 'unproven', reason: `no rows differ in what ${variable} is compared with` };
}

function sameRows(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  return left.size === right.size && [...left].every((row) => right.has(row));
}

/** With the variable missing or empty, only rows are reached that every value of it reaches. */
async function nothingMore(
  name: string,
  groups: readonly Group[],
  read: (others: SessionValues) => ReturnType<ReadRows>,
): Promise<Check> {
  for (const { others, seen } of groups) {
    const rows = [...((await read(others)) ?? [])];
    const strange = rows.filter((row) => !seen.every((each) => each.rows.has(row)));
    if (strange.length > 0)
      return {
        name,
        outcome: 'failed',
        reason: `it reaches ${count(strange.length)} that not every session reaches`,
      };
  }
  return { name, outcome: 'passed' };
}

/** A session with a value that is in no row reaches nothing, for any other values of the session. */
async function guards(variable: string, groups: readonly Group[], rowsOf: ReadRows): Promise<Check> {
  const name = `a session with a ${variable} that no row has reaches nothing`;
  const known = groups.flatMap(({ seen }) => seen.map(({ session }) => session[variable]!));
  for (const { others } of groups) {
    const rows = await rowsOf({ ...others, [variable]: unknownValue(known) });
    if (rows && rows.size > 0) return { name, outcome: 'failed', reason: `it reaches ${count(rows.size)}` };
  }
  return { name, outcome: 'passed' };
}

function count(rows: number): string {
  return rows === 1 ? '1 row' : `${rows} rows`;
}

/** A value of the kind of the known ones, in a list where those are lists. */
function unknownValue(known: readonly string[]): string {
  const items = known.map((value) => value.replace(/^\{"|"\}$/g, ''));
  const value = items.every((item) => /^-?\d+$/.test(item))
    ? '2147483647'
    : items.every((item) => /^[0-9a-f-]{36}$/.test(item))
      ? 'ffffffff-ffff-4fff-bfff-ffffffffffff'
      : 'nobody';
  return known[0]?.startsWith('{') ? `{${JSON.stringify(value)}}` : value;
}
