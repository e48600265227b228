/** Reports what Citus answers by every shard, or not at all: in rules, relationships, functions and event triggers. */
import { columnsOfRule } from '../../../runtime/core/condition/reads.ts';
import { readRule } from '../../../runtime/core/condition/rule.ts';
import type { RuleText } from '../../../runtime/core/contract/shapes.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at, type Diagnostic } from '../../../runtime/core/diagnostics/diagnostic.ts';
import type { MetadataPath } from '../../../runtime/core/json/json.ts';
import { keyOf } from '../../../runtime/core/names.ts';
import type { Program } from '../../../runtime/core/program/program.ts';
import type { SavedOperation } from '../../../runtime/core/saved/saved.ts';
import { roleVerdicts } from '../../../runtime/core/saved/saved-verdicts.ts';
import { distributionColumn, fixesRows } from '../../../runtime/core/shards/index.ts';
import { verdictWords } from '../../../runtime/core/shards/verdicts.ts';
import { bindRow } from '../../../runtime/core/sql/fragment.ts';
import { aliasNamed, ruleFor, selectStatement, tableNamed } from '../../../runtime/core/sql/statement.ts';
import type { Metadata, QualifiedName, TableEntry } from '../../../runtime/metadata/metadata.ts';
import type { PlannedSource, PlannedTable, ProgramPlan } from '../../model/plan.ts';

/** Nothing for sources without distributed tables. */
export function shardDiagnostics({ sources }: ProgramPlan, metadata: Metadata): Diagnostic[] {
  return sources.flatMap((source) => {
    const entry = metadata.sources.find(({ name }) => name === source.shape.name);
    return entry && source.shape.distribution
      ? [
          ...entry.tables.flatMap((table) => {
            const planned = source.tables.find(({ shape }) => keyOf(shape) === keyOf(table.table));
            return [
              ...(planned ? tableDiagnostics(planned, table, source) : []),
              ...table.computed_fields.flatMap(({ definition, path }) =>
                functionDiagnostics(definition.function, path, source),
              ),
            ];
          }),
          ...entry.functions.flatMap(({ function: name, path }) => functionDiagnostics(name, path, source)),
        ]
      : [];
  });
}

function functionDiagnostics(
  name: QualifiedName,
  path: MetadataPath,
  { shape: { distribution } }: PlannedSource,
): Diagnostic[] {
  const { functions = {} } = distribution ?? {};
  const key = keyOf(name);
  const reach = Object.hasOwn(functions, key) ? functions[key]! : undefined;
  if (!reach) return [];
  const found = { name: key, why: reach.why };
  return [at(path, reach.alone ? messages.shardsFunctionAlone(found) : messages.shardsFunctionReads(found))];
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
  const column = distributionColumn(table.shape);
  if (column === undefined) return [];
  return [...ruleDiagnostics(table, entry, column), ...relationshipDiagnostics(table, entry, source, column)];
}

function ruleDiagnostics({ shape, access }: PlannedTable, entry: TableEntry, column: string): Diagnostic[] {
  return (['select', 'update', 'delete'] as const).flatMap((operation) =>
    entry[`${operation}_permissions`].flatMap(({ role, path }) => {
      const rules = access[operation] ?? {};
      const rule = Object.hasOwn(rules, role) ? rules[role] : undefined;
      if (!rule) return [];
      const subject = { operation, role, table: keyOf(shape) };
      return [
        ...(isFixed(shape, rule.where)
          ? []
          : [at(path, messages.shardsRuleWithoutValue({ ...subject, column }))]),
        ...(columnsOfRule(rule.where, keyOf(shape)).some(([table]) => table !== keyOf(shape))
          ? [at(path, messages.shardsRuleSubquery(subject))]
          : []),
      ];
    }),
  );
}

/** Whether rows that meet a rule are in one shard. */
function isFixed(shape: PlannedTable['shape'], rule: RuleText): boolean {
  const row = aliasNamed('row#1');
  const read = readRule(rule);
  const where = [ruleFor(read, row, bindRow(read.sql, row))];
  const from = [{ rows: tableNamed(shape.schema, shape.name), alias: row }];
  return fixesRows(selectStatement({ from, where }), shape.source);
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
