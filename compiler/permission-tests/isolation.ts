/**
 * Isolation of a row rule, by trying it: its rows have to depend on every session variable that it names, and a session
 * that lacks one, or has nothing in it, must not see more than everybody does.
 */
import { EngineError } from '../../runtime/core/errors.ts';
import { bindParameters } from '../../runtime/core/request/bind.ts';
import { boundRule } from '../../runtime/core/schema/table-view.ts';
import { identifier, print, type Statement, sql } from '../../runtime/core/sql/fragment.ts';
import type { Variables } from './sessions.ts';
import type { Trial } from './trial.ts';

export interface IsolationRule {
  readonly role: string;
  readonly schema: string;
  readonly table: string;
  /** As ruleName makes it. */
  readonly name: string;
  /** Rule text. */
  readonly where: string;
  /** In lower case. */
  readonly variables: readonly string[];
}

export interface Check {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'unproven';
  /** Why it failed, or why it proves nothing. */
  readonly reason?: string;
}

/** Tries a rule with sessions; what cannot be shown with the rows there are is `unproven`. */
export async function checkIsolation(
  trial: Trial,
  rule: IsolationRule,
  sessions: readonly Variables[],
): Promise<Check[]> {
  const rowsOf = createReader(trial, rule);
  const seen: { readonly session: Variables; readonly rows: ReadonlySet<string> }[] = [];
  for (const session of sessions) {
    const rows = await rowsOf(session);
    if (rows) seen.push({ session, rows });
  }
  if (!seen.some(({ rows }) => rows.size > 0)) {
    const reason = sessions.length === 0 ? 'no rows to take session variables from' : 'no session sees a row';
    return rule.variables.map((variable) => ({
      name: `rows depend on ${variable}`,
      outcome: 'unproven',
      reason,
    }));
  }
  const checks: Check[] = [];
  for (const variable of rule.variables) {
    checks.push(dependsOn(variable, seen));
    for (const [what, value] of [
      ['no', undefined],
      ['an empty', ''],
      ['a null', 'null'],
    ] as const)
      checks.push(
        await nothingMore(
          `a session with ${what} ${variable} sees no more than everybody`,
          variable,
          value,
          seen,
          rowsOf,
        ),
      );
  }
  return checks;
}

type Reader = (session: Variables) => Promise<ReadonlySet<string> | undefined>;

/** Reads the rows that a session sees; undefined when the request is refused. */
function createReader(trial: Trial, rule: IsolationRule): Reader {
  const alias = identifier('_q1');
  const from = identifier(rule.schema, rule.table);
  const statement: Statement = print(
    sql`select coalesce(json_agg(md5(${alias}::text)), '[]')::text from ${from} as ${alias} where ${boundRule(rule.where, { rule: rule.name })(alias)}`,
  );
  return async (variables) => {
    try {
      const session = {
        role: rule.role,
        backendOnly: true,
        variables: { 'x-engine-role': rule.role, ...variables },
      };
      const [text] = await trial.connection.readTexts(statement, bindParameters(statement, {}, session));
      return new Set(JSON.parse(text!) as string[]);
    } catch (error) {
      // A missing variable, or a value that Postgres does not take for the type: nobody sees anything.
      if (error instanceof EngineError || (error as { code?: string }).code?.startsWith('22'))
        return undefined;
      throw error;
    }
  };
}

type Seen = readonly { readonly session: Variables; readonly rows: ReadonlySet<string> }[];

function dependsOn(variable: string, seen: Seen): Check {
  const name = `rows depend on ${variable}`;
  const groups = groupByOthers(variable, seen);
  const comparable = groups.filter((group) => group.length > 1 && group.some(({ rows }) => rows.size > 0));
  if (comparable.length === 0)
    return { name, outcome: 'unproven', reason: 'there are not two values to try' };
  const differ = comparable.some(([first, ...rest]) => rest.some(({ rows }) => !sameRows(rows, first!.rows)));
  return differ
    ? { name, outcome: 'passed' }
    : {
        name,
        outcome: 'failed',
        reason: `sessions that differ in ${variable} alone see the same rows; if these rows just happen to be everybody's, give others with --seed`,
      };
}

/** Sessions that differ in the variable alone. */
function groupByOthers(variable: string, seen: Seen): Seen[] {
  const groups = new Map<string, Seen[number][]>();
  for (const each of seen) {
    const { [variable]: _, ...others } = each.session;
    const key = JSON.stringify(others);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()];
}

function sameRows(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  return left.size === right.size && [...left].every((row) => right.has(row));
}

/** With the variable missing or empty, only rows are seen that every value of it shows. */
async function nothingMore(
  name: string,
  variable: string,
  value: string | undefined,
  seen: Seen,
  rowsOf: Reader,
): Promise<Check> {
  for (const group of groupByOthers(variable, seen)) {
    const { [variable]: _, ...others } = group[0]!.session;
    const rows = await rowsOf(value === undefined ? others : { ...others, [variable]: value });
    if (!rows) continue;
    const strange = [...rows].filter((row) => !group.every((each) => each.rows.has(row)));
    if (strange.length > 0)
      return { name, outcome: 'failed', reason: `it sees ${strange.length} rows that not everybody sees` };
  }
  return { name, outcome: 'passed' };
}
