/** Compares what admitted texts mean: where names of fields changed hands, an operation reads and writes other columns. */

import { objectKey, operationKey } from '../../../runtime/core/names.ts';
import type { Column, ComputedField, Table } from '../../../runtime/core/program/program.ts';
import type { Selection } from '../../../runtime/core/request/selection.ts';
import { allowedTexts } from '../../../runtime/core/saved/allowed.ts';
import type { SavedOperation } from '../../../runtime/core/saved/saved.ts';
import { analyse } from '../check/operation-changes.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import { beyond } from './beyond.ts';
import type { Finding } from './finding.ts';
import { type ColumnUse, columnUses } from './saved-uses.ts';

/**
 * Operations of the allow-list and of REST endpoints whose text is as before and whose columns are not, by role. What the
 * role may do with a document of its own is compared elsewhere; where only the allow-list is answered, this is what it gains.
 */
export function meaningFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const before = new Map(operationsOf(base).map((operation) => [operationKey(operation), operation]));
  const routed = new Set(
    (head.generated.saved?.routes ?? []).map(({ operation }) => operationKey(operation)),
  );
  const admitted = admittedRoles(head);
  return operationsOf(head).flatMap((operation) => {
    const was = before.get(operationKey(operation));
    const roles = admitted.get(operationKey(operation));
    if (was?.document !== operation.document || (!roles && !routed.has(operationKey(operation)))) return [];
    return head.roles.flatMap((role): Finding[] => {
      if (!base.roles.includes(role)) return [];
      const [old, next] = [usesIn(base, role, was), usesIn(head, role, operation)];
      if (!old || !next) return [];
      const inWords = (uses: readonly Use[]) => uses.map((use) => useText(use, head)).sort();
      const [gained, lost] = [inWords(beyond(next, old)), inWords(beyond(old, next))];
      if (gained.length + lost.length === 0) return [];
      const isAdmitted = roles === 'all' || roles?.has(role);
      return [
        {
          verdict: isAdmitted ? 'undecidable' : 'not wider',
          subject: 'columns',
          role,
          text: `the saved operation ${operation.collection}.${operation.name} has the same text, and now ${gained.join(', ') || 'uses fewer columns'}${lost.length > 0 ? `; before it ${lost.join(', ')}` : ''}`,
        },
      ];
    });
  });
}

function operationsOf({ generated }: GeneratedCode): readonly SavedOperation[] {
  return generated.saved?.operations ?? [];
}

/** Roles that the allow-list admits, by operation. */
function admittedRoles({ generated: { saved } }: GeneratedCode): Map<string, 'all' | ReadonlySet<string>> {
  return new Map(
    (saved ? allowedTexts(saved) : []).map(({ entry }) => [
      operationKey(entry),
      entry.roles ? new Set(entry.roles) : 'all',
    ]),
  );
}

/** Something in the database that an operation uses; two are the same if their data is. */
type Use =
  | { readonly use: ColumnUse; readonly source: string; readonly table: string; readonly column: string }
  | { readonly use: 'calls'; readonly source: string; readonly called: string }
  /** A root field about a table: which of its fields. */
  | {
      readonly use: 'asks';
      readonly source: string;
      readonly table: string;
      readonly field: string | undefined;
    }
  | {
      readonly use: 'joins';
      readonly source: string;
      readonly table: string;
      readonly query: string | undefined;
      /** Columns of the table and of the row that leads there. */
      readonly columns: readonly (readonly [other: string, own: string])[];
      /** Arguments of the query and columns of the row. */
      readonly given: readonly (readonly [argument: string, own: string])[];
    }
  | { readonly use: 'computes'; readonly source: string; readonly called: string };

/** `shows public.ticket.subject`; the source where there are several. */
function useText(use: Use, { program: { sources } }: GeneratedCode): string {
  const where = sources.length > 1 ? ` of source ${use.source}` : '';
  switch (use.use) {
    case 'calls':
      return `calls ${use.called}()${where}`;
    case 'computes':
      return `computes by ${use.called}()${where}`;
    case 'asks':
      return `asks ${use.table}${where} (${use.field})`;
    case 'joins': {
      const by = use.query === undefined ? '' : ` by ${use.query}`;
      const pairs = [
        ...use.columns.map(([other, own]) => `${other} = ${own}`),
        ...use.given.map(([argument, own]) => `{{${argument}}} = ${own}`),
      ];
      return `joins ${use.table}${where}${by} (${pairs.join(', ')})`;
    }
    default:
      return `${use.use} ${use.table}.${use.column}${where}`;
  }
}

/** Undefined: the role may not run it. */
function usesIn(code: GeneratedCode, role: string, operation: SavedOperation): Use[] | undefined {
  const outcome = analyse(code, role, operation);
  if ('error' in outcome) return undefined;
  const owners = new Map<Column | ComputedField, Table>();
  for (const table of code.program.tables)
    for (const part of [...table.columns.values(), ...table.computedFields.values()]) owners.set(part, table);
  return [
    ...[...columnUses(outcome.selection)].map(([column, use]): Use => {
      const { source, key } = owners.get(column)!;
      return { use, source: source.name, table: key, column: column.name };
    }),
    ...rootUses(code.program, operation.kind, outcome.selection),
    ...innerUses(outcome.selection, owners),
  ];
}

/** The tables and functions that root fields are about, and how they ask. */
function rootUses(
  program: GeneratedCode['program'],
  root: SavedOperation['kind'],
  { fields }: Selection,
): Use[] {
  return fields.flatMap(({ definition: { name, meaning }, selection }) => {
    // Root fields of a source may be in a namespace.
    if (meaning.kind === 'namespace') return rootUses(program, root, selection);
    return program.sources.flatMap((source) =>
      (program.rootFields.of(source, root).get(name) ?? []).map((owner): Use => {
        if ('called' in owner) return { use: 'calls', source: source.name, called: owner.called.key };
        const { mutation, query, subscription } = owner.table.fields;
        const entry = (root === 'mutation' ? mutation : query).get(name) ?? subscription.get(name);
        return { use: 'asks', source: source.name, table: owner.table.key, field: entry?.field };
      }),
    );
  });
}

/** What leads on from rows: relationships and computed fields. */
function* innerUses(
  { fields }: Selection,
  owners: ReadonlyMap<Column | ComputedField, Table>,
): Iterable<Use> {
  for (const { definition, selection } of fields) {
    const { meaning } = definition;
    if ('relationship' in meaning) {
      const { target, columns, shape } = meaning.relationship;
      yield {
        ...{ use: 'joins', source: target.source.name, table: target.key, query: shape.query?.name },
        columns: columns.map(([own, other]) => [other.name, own.name] as const),
        given: Object.entries(shape.given ?? {}),
      };
    }
    if (meaning.kind === 'computedField') {
      const { schema, name } = meaning.computedField.shape.function;
      const { source } = owners.get(meaning.computedField)!;
      yield { use: 'computes', source: source.name, called: objectKey(schema, name) };
    }
    yield* innerUses(selection, owners);
  }
}
