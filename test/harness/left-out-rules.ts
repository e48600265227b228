/** Row rules that are left out along relationships: as the planner of requests does it, as can be proved, and as ledgers say. */

import type { Ledger } from '../../compiler/model/plan.ts';
import { implicationOf } from '../../runtime/core/condition/implied.ts';
import { follows } from '../../runtime/core/condition/join.ts';
import { nameText } from '../../runtime/core/program/facts.ts';
import type { Program, Relationship, Table } from '../../runtime/core/program/program.ts';
import { seen, visibleThrough } from '../../runtime/core/query/visible.ts';
import { raw } from '../../runtime/core/sql/fragment.ts';
import { print } from '../../runtime/core/sql/print.ts';
import type { InProcess } from './in-process.ts';

interface LeftOutRules {
  /** `role, source table, relationship, related table`, sorted. */
  readonly leftOut: readonly string[];
  /** Relationships to tables with a rule for the role, whether it is left out or not. */
  readonly ruled: number;
}

/** What the planner of requests does for every role and relationship. */
export function leftOutByPlanner(program: Program): LeftOutRules {
  const row = raw('"row#1"');
  const ruled = eachRelationship(program);
  const leftOut = ruled
    .filter(
      ({ from, relationship, visible }) => visibleThrough(from, relationship, visible, row).length === 0,
    )
    .map(({ role, table, relationship }) => placeOf(role, table, relationship))
    .sort();
  return { leftOut, ruled: ruled.length };
}

/** Relationships to tables with a rule, of every role. */
function eachRelationship(program: Program) {
  return [...program.roles].flatMap((role) => {
    const roleSchema = program.roleSchema(role, true);
    return program.tables.flatMap((table) => {
      const from = seen(roleSchema.table(table));
      return (from.select?.relationships ?? [])
        .filter(({ visible }) => visible.select?.where)
        .map(({ relationship, visible }) => ({ role, table, from, relationship, visible }));
    });
  });
}

function placeOf(role: string, table: Table, { name: relationship, target }: Relationship): string {
  return [
    role,
    `${nameText(table.source.name)} ${nameText(table.key)}`,
    nameText(relationship),
    nameText(target.key),
  ].join(', ');
}

/** The same, by the SQL of requests that read nothing but the related rows. */
export function leftOutOfStatements({ program, sql }: Pick<InProcess, 'program' | 'sql'>): readonly string[] {
  return eachRelationship(program)
    .filter(({ role, table, from, relationship, visible }) => {
      const query = `{ ${table.shape.graphqlName} { ${relationship.field} { __typename } } }`;
      const text = sql({ query }, role);
      const [, alias] = new RegExp(`as ("${relationship.name}#\\d+")`).exec(text) ?? [];
      if (alias === undefined) throw new Error(`${role}: no rows of ${relationship.name} in\n${text}`);
      const outer = from.select!.where ? print(from.select!.where(raw('"outer#1"'))).text : '';
      // Rows that are numbered may be handed on whole.
      return [alias, `(${alias}."row")`].every((row) => {
        const rule = print(visible.select!.where!(raw(row))).text;
        // A rule that does not mention its row may be the one of the outer row.
        return occurrences(text, rule) === occurrences(outer, rule);
      });
    })
    .map(({ role, table, relationship }) => placeOf(role, table, relationship))
    .sort();
}

function occurrences(text: string, part: string): number {
  const [all, one] = [text, part].map((sql) => sql.replaceAll(/\$\d+/g, '$').replaceAll(/\s+/g, ' '));
  return all!.split(one!).length - 1;
}

const LINE = /^ {2}select through (.+): the rule of (.+) is not asked again, it follows from ./;

/** What the ledgers say, in the same form. */
function leftOutByLedgers(ledgers: readonly Ledger[]): readonly string[] {
  return ledgers
    .flatMap(({ role, facts }) => {
      let place = '';
      return facts.flatMap((fact) => {
        if (!fact.startsWith(' ')) place = fact;
        const [, relationship, target] = LINE.exec(fact) ?? [];
        return relationship === undefined ? [] : [[role, place, relationship, target].join(', ')];
      });
    })
    .sort();
}

/** What can be proved about the rules that are served. */
function leftOutByProver(program: Program): readonly string[] {
  return eachRelationship(program)
    .filter(({ table, from, relationship, visible }) => {
      const known = { shape: table.shape, where: from.select!.rule.text };
      const asked = { shape: visible.table.shape, where: visible.select!.rule.text };
      return follows(implicationOf(known, relationship.shape, asked));
    })
    .map(({ role, table, relationship }) => placeOf(role, table, relationship));
}

/** What one of them says and another does not; empty where ledgers say what runs, and what runs is proved. */
export function leftOutDifference(program: Program, ledgers: readonly Ledger[]): readonly string[] {
  const planned = new Set(leftOutByPlanner(program).leftOut);
  const written = new Set(leftOutByLedgers(ledgers));
  const proved = new Set(leftOutByProver(program));
  const missing = (from: Iterable<string>, others: ReadonlySet<string>, what: string) =>
    [...from].filter((each) => !others.has(each)).map((each) => `${what}: ${each}`);
  return [
    ...missing(planned, written, 'not in a ledger'),
    ...missing(written, planned, 'asked nevertheless'),
    ...missing(planned, proved, 'not proved'),
    ...missing(proved, planned, 'asked, though proved'),
  ];
}
