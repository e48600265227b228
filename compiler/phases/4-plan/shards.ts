/** Reports what Citus answers by every shard, or not at all: in rules, relationships, functions and event triggers. */
import { readRule } from '../../../runtime/core/condition/rule.ts';
import type { RuleText } from '../../../runtime/core/contract/shapes.ts';
import { diagnostics as messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at, type Diagnostic } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { keyOf } from '../../../runtime/core/names.ts';
import type { Program } from '../../../runtime/core/program/program.ts';
import type { SavedOperation } from '../../../runtime/core/saved/saved.ts';
import { roleVerdicts } from '../../../runtime/core/saved/saved-verdicts.ts';
import { distributionColumn, fixesRows } from '../../../runtime/core/shards/index.ts';
import { verdictWords } from '../../../runtime/core/shards/verdicts.ts';
import { bindRow, identifier, raw, sql } from '../../../runtime/core/sql/fragment.ts';
import { print } from '../../../runtime/core/sql/print.ts';
import type { Metadata, TableEntry } from '../../../runtime/metadata/metadata.ts';
import type { PlannedSource, PlannedTable, ProgramPlan } from '../../model/plan.ts';

/** Nothing for sources without distributed tables. */
export function shardDiagnostics({ sources }: ProgramPlan, metadata: Metadata): Diagnostic[] {
  return sources.flatMap((source) => {
    const entry = metadata.sources.find(({ name }) => name === source.shape.name);
    return entry && source.shape.distribution
      ? [
          ...entry.tables.flatMap((table) => {
            const planned = source.tables.find(({ shape }) => keyOf(shape) === keyOf(table.table));
            return planned ? tableDiagnostics(planned, table, source) : [];
          }),
          ...entry.functions.flatMap(({ function: name, path }) =>
            source.shape.distribution?.functions?.includes(keyOf(name))
              ? [at(path, messages.shardsFunctionReads({ name: keyOf(name) }))]
              : [],
          ),
        ]
      : [];
  });
}

/** Lines of the ledger of a role: what Citus makes of its root fields and saved operations. */
export function verdictFacts(
  program: Program,
  operations: readonly SavedOperation[],
  role: string,
): readonly string[] {
  return roleVerdicts(program, operations, role).map(
    ({ subject, verdict }) => `shards of ${subject}: ${verdictWords(verdict)}`,
  );
}

function tableDiagnostics(table: PlannedTable, entry: TableEntry, source: PlannedSource): Diagnostic[] {
  const key = keyOf(table.shape);
  const kind = source.shape.distribution!.tables[key]?.kind;
  if (kind === undefined) return [];
  const triggers = entry.event_triggers.map(({ name, path }) =>
    at(path, messages.shardsEventTrigger({ name, table: key })),
  );
  const column = distributionColumn(table.shape);
  if (column === undefined) return triggers;
  return [
    ...triggers,
    ...ruleDiagnostics(table, entry, column),
    ...relationshipDiagnostics(table, entry, source, column),
  ];
}

function ruleDiagnostics({ shape, access }: PlannedTable, entry: TableEntry, column: string): Diagnostic[] {
  return (['select', 'update', 'delete'] as const).flatMap((operation) =>
    entry[`${operation}_permissions`].flatMap(({ role, path }) => {
      const rules = access[operation] ?? {};
      const rule = Object.hasOwn(rules, role) ? rules[role] : undefined;
      if (!rule || isFixed(shape, rule.where)) return [];
      return [at(path, messages.shardsRuleWithoutValue({ operation, role, table: keyOf(shape), column }))];
    }),
  );
}

/** Whether rows that meet a rule are in one shard. */
function isFixed(shape: PlannedTable['shape'], rule: RuleText): boolean {
  const row = raw('"row#1"');
  const statement = sql`select 1 from ${identifier(shape.schema, shape.name)} as ${row} where (${bindRow(readRule(rule).sql, row)})`;
  return fixesRows(print(statement).text, shape.source);
}

function relationshipDiagnostics(
  { shape }: PlannedTable,
  entry: TableEntry,
  { tables }: PlannedSource,
  column: string,
): Diagnostic[] {
  return [...entry.object_relationships, ...entry.array_relationships].flatMap(({ name, path }) => {
    const relationship = shape.relationships?.[name];
    const target = relationship && tables.find((each) => keyOf(each.shape) === relationship.target);
    const theirs = target && distributionColumn(target.shape);
    if (!relationship || theirs === undefined || relationship.columns[column] === theirs) return [];
    const pairs = Object.entries(relationship.columns).map(([own, other]) => `${own} = ${other}`);
    return [
      at(path, messages.shardsRelationshipApart({ name, table: keyOf(shape), pairs: pairs.join(', ') })),
    ];
  });
}
