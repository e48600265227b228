/** `<table>.resolvers.ts`: root field → what runs for it. */
import type { RootFieldKind } from '../../model/model.ts';
import type { PlannedTable } from '../../model/plan.ts';
import { type FileNames, fileName } from './names.ts';
import { placeOf } from './table.ts';
import { templates } from './templates.ts';

interface Resolver {
  readonly section: 'query' | 'mutation';
  /** Function of the contract. */
  readonly function: string;
}

/** Kinds of root fields that are served. */
const RESOLVERS: Partial<Record<RootFieldKind, Resolver>> = {
  select: { section: 'query', function: 'selectRows' },
  select_by_pk: { section: 'query', function: 'selectByKey' },
  select_aggregate: { section: 'query', function: 'selectAggregate' },
  insert: { section: 'mutation', function: 'insertRows' },
  insert_one: { section: 'mutation', function: 'insertRow' },
  update: { section: 'mutation', function: 'updateRows' },
  update_by_pk: { section: 'mutation', function: 'updateRow' },
  update_many: { section: 'mutation', function: 'updateMany' },
  delete: { section: 'mutation', function: 'deleteRows' },
  delete_by_pk: { section: 'mutation', function: 'deleteRow' },
};

/** Text of a table's resolver file. */
export function emitResolvers({ shape, rootFields }: PlannedTable, names: FileNames): string {
  const served = rootFields.flatMap((field) => {
    const resolver = RESOLVERS[field.kind];
    return resolver ? [{ field, resolver }] : [];
  });
  const sections = (['query', 'mutation'] as const).flatMap((name) => {
    const fields = served
      .filter(({ resolver }) => resolver.section === name)
      .map(({ field, resolver }) => ({
        name: field.name,
        kind: field.kind,
        hasDescription: field.description !== undefined,
        description: field.description ?? '',
        call: `${resolver.function}(${names.identifier}Access, requester, selection, args)`,
      }));
    return fields.length > 0 ? [{ name, fields }] : [];
  });
  const functions = [...new Set(served.map(({ resolver }) => resolver.function))].sort();
  return templates.resolvers({
    place: placeOf(shape),
    imports: importList(['resolvers', ...functions].sort()),
    identifier: names.identifier,
    accessImport: `./${fileName(names)}.access.ts`,
    sections,
  });
}

/** Names of an import, one a line when there are many. */
function importList(names: readonly string[]): string {
  return names.length <= 5
    ? `{ ${names.join(', ')} }`
    : `{\n${names.map((name) => `  ${name},\n`).join('')}}`;
}
