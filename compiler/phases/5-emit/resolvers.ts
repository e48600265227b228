/** `<table>.resolvers.ts`: root field → what runs for it. */
import type { PlannedTable } from '../../model/plan.ts';
import { TABLE_RESOLVERS } from '../../model/resolvers.ts';
import { type FileNames, fileName } from './names.ts';
import { placeOf } from './table.ts';
import { templates } from './templates.ts';

/** Text of a table's resolver file. */
export function emitResolvers({ shape, rootFields }: PlannedTable, names: FileNames): string {
  const served = rootFields.flatMap((field) => {
    const resolver = TABLE_RESOLVERS[field.kind];
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
