/** How a role comes to the rows of a table. */
import type { Program, Relationship, Table } from '../../../runtime/core/program/program.ts';
import { remember } from '../../../runtime/core/remember.ts';
import { offersAggregates } from '../../../runtime/core/schema/computed-aggregates.ts';
import { offersGroups } from '../../../runtime/core/schema/group-types.ts';
import { servedFunction } from '../../../runtime/core/schema/services.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import { joinsTo } from './joins.ts';
import { distinctNames, type PathScope } from './path.ts';
import { rootsOf } from './roots.ts';

/** Fields that lead a role to the rows of a table, which it may select from: root fields, relationships, functions, joins. */
export function entrances(code: GeneratedCode, table: Table, role: string): string[] {
  const scope: PathScope = {
    code,
    program: code.program,
    roleSchema: code.program.roleSchema(role, true),
    role,
  };
  const roots = rootsOf(code, role, table).filter(({ root }) => root !== 'mutation');
  const ways = waysToRows(scope, table);
  const paths = [...ways.relationships, ...ways.computedFields, ...joinsTo(scope, table)].flatMap(
    ({ fields }) => fields,
  );
  return [...distinctNames(roots), ...paths, ...ways.functions];
}

interface Way {
  readonly from: Table;
  readonly fields: readonly string[];
}

interface Ways {
  readonly relationships: readonly Way[];
  readonly computedFields: readonly Way[];
  readonly aggregates: readonly { readonly field: string }[];
  readonly functions: readonly string[];
}

/** How a role comes to the rows of a table other than by its own root fields. */
export function waysToRows(scope: PathScope, table: Table): Ways {
  const { program, roleSchema } = scope;
  const relationships: Way[] = [];
  const computedFields: Way[] = [];
  const aggregates: { field: string }[] = [];
  const parts = offersGroups(roleSchema.table(table))
    ? (['aggregate', 'group_by'] as const)
    : (['aggregate'] as const);
  for (const from of tablesTowards(program, table)) {
    const { select } = roleSchema.table(from);
    if (!select) continue;
    const base = from.shape.graphqlName;
    const leading = select.relationships.filter(({ relationship }) => relationship.target === table);
    if (leading.length > 0)
      relationships.push({
        from,
        fields: leading.map(({ relationship }) => `${base}.${relationship.field}`),
      });
    for (const { relationship } of leading)
      if (isArray(relationship))
        for (const part of parts)
          aggregates.push({ field: `${base}.${from.names.related(relationship.name, part)}` });
    const computed = select.computedFields.filter(
      ({ returns }) => 'table' in returns && returns.table === table,
    );
    for (const field of computed)
      if (offersAggregates(field, roleSchema.table(from)))
        aggregates.push({ field: `${base}.${from.names.related(field.name, 'aggregate')}` });
    if (computed.length > 0)
      computedFields.push({ from, fields: computed.map(({ field }) => `${base}.${field}`) });
  }
  const functions = program.functions
    .filter(({ returns }) => returns === table)
    .flatMap((entry) => servedFunction(entry, scope.program).useOf(scope.role) ?? []);
  return { relationships, computedFields, aggregates, functions };
}

/** Memo: a program never changes. */
const known = new WeakMap<Program, ReadonlyMap<Table, ReadonlySet<Table>>>();

/** Tables with a relationship or computed field that leads to the rows of the table, for some role: there may be thousands. */
export function tablesTowards(program: Program, table: Table): ReadonlySet<Table> {
  const index = remember(known, program, () => {
    const towards = new Map<Table, Set<Table>>();
    for (const from of program.tables) {
      const targets = [
        ...[...from.relationships.values()].map(({ target }) => target),
        ...[...from.computedFields.values()].flatMap(({ returns }) =>
          'table' in returns ? [returns.table] : [],
        ),
      ];
      for (const target of targets) remember(towards, target, () => new Set<Table>()).add(from);
    }
    return towards;
  });
  return index.get(table) ?? new Set();
}

function isArray({ shape }: Relationship): boolean {
  return shape.kind === 'array';
}
