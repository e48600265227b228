/** Compares what admitted texts mean: where names of fields changed hands, an operation reads and writes other columns. */

import { objectKey } from '../../../runtime/core/names.ts';
import type { Selection } from '../../../runtime/core/request/selection.ts';
import { allowedTexts } from '../../../runtime/core/saved/allowed.ts';
import type { SavedOperation } from '../../../runtime/core/saved/saved.ts';
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
import { analyse } from '../check/operation-changes.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import type { Finding } from './finding.ts';
import { columnUses } from './saved-uses.ts';

/**
 * Operations of the allow-list and of REST endpoints whose text is as before and whose columns are not, by role. What the
 * role may do with a document of its own is compared elsewhere; where only the allow-list is answered, this is what it gains.
 */
export function meaningFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const before = new Map(operationsOf(base).map((operation) => [keyOf(operation), operation]));
  const routed = new Set((head.generated.saved?.routes ?? []).map(({ operation }) => keyOf(operation)));
  const admitted = admittedRoles(head);
  return operationsOf(head).flatMap((operation) => {
    const was = before.get(keyOf(operation));
    const roles = admitted.get(keyOf(operation));
    if (was?.document !== operation.document || (!roles && !routed.has(keyOf(operation)))) return [];
    return head.roles.flatMap((role): Finding[] => {
      if (role === ADMIN_ROLE || !base.roles.includes(role)) return [];
      const [old, next] = [usesIn(base, role, was), usesIn(head, role, operation)];
      if (!old || !next) return [];
      const beyond = (some: ReadonlySet<string>, others: ReadonlySet<string>) =>
        [...some].filter((use) => !others.has(use)).sort();
      const [gained, lost] = [beyond(next, old), beyond(old, next)];
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

function keyOf({ collection, name }: { readonly collection: string; readonly name: string }): string {
  return JSON.stringify([collection, name]);
}

/** Roles that the allow-list admits, by operation. */
function admittedRoles({ generated: { saved } }: GeneratedCode): Map<string, 'all' | ReadonlySet<string>> {
  return new Map(
    (saved ? allowedTexts(saved) : []).map(({ entry }) => [
      keyOf(entry),
      entry.roles ? new Set(entry.roles) : 'all',
    ]),
  );
}

/** `shows public.ticket.subject`; undefined: the role may not run it. */
function usesIn(code: GeneratedCode, role: string, operation: SavedOperation): Set<string> | undefined {
  const outcome = analyse(code, role, operation);
  if ('error' in outcome) return undefined;
  const names = new Map(
    code.program.tables.flatMap(({ key, columns }) =>
      [...columns.values()].map((column) => [column, `${key}.${column.name}`] as const),
    ),
  );
  return new Set([
    ...[...columnUses(outcome.selection)].map(([column, use]) => `${use} ${names.get(column)}`),
    ...rootUses(code.program, operation.kind, outcome.selection),
    ...innerUses(outcome.selection),
  ]);
}

/** `asks public.f_all()`: the table or function that a root field is about, and how it asks. */
function rootUses(
  program: GeneratedCode['program'],
  root: SavedOperation['kind'],
  { fields }: Selection,
): string[] {
  return fields.flatMap(({ definition: { name, meaning }, selection }) => {
    // Root fields of a source may be in a namespace.
    if (meaning.kind === 'namespace') return rootUses(program, root, selection);
    return program.sources.flatMap((source) =>
      (program.rootFields.of(source, root).get(name) ?? []).map((owner) => {
        if ('called' in owner) return `calls ${owner.called.key}()`;
        const { mutation, query, subscription } = owner.table.fields;
        const entry = (root === 'mutation' ? mutation : query).get(name) ?? subscription.get(name);
        return `asks ${owner.table.key} (${entry?.field})`;
      }),
    );
  });
}

/** What leads on from rows: relationships and computed fields. */
function* innerUses({ fields }: Selection): Iterable<string> {
  for (const { definition, selection } of fields) {
    const { meaning } = definition;
    if ('relationship' in meaning) {
      const { target, columns, shape } = meaning.relationship;
      const pairs = columns.map(([own, other]) => `${other.name} = ${own.name}`);
      const given = Object.entries(shape.given ?? {}).map(([argument, own]) => `{{${argument}}} = ${own}`);
      const by = shape.query ? ` by ${shape.query.name}` : '';
      yield `joins ${target.key}${by} (${[...pairs, ...given].join(', ')})`;
    }
    if (meaning.kind === 'computedField') {
      const { schema, name } = meaning.computedField.shape.function;
      yield `computes by ${objectKey(schema, name)}()`;
    }
    yield* innerUses(selection);
  }
}
