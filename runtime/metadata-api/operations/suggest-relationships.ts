import { keyOf } from '../../core/names.ts';
import { object, optional, requiredList, withDefault } from '../../metadata/combinators.ts';
import { qualifiedName } from '../../metadata/kinds/shared.ts';
import type { JsonObject, QualifiedName } from '../../metadata/metadata.ts';
import { type SuggestedRelationship, suggestRelationships } from '../../metadata/suggested-relationships.ts';
import { boolean } from '../../metadata/values.ts';
import { findSource } from '../change/edit.ts';
import type { WorkingCopy } from '../change/working-copy.ts';
import { sourceArgument } from '../request/arguments.ts';
import { sameName } from '../request/names.ts';
import { METADATA, operation } from '../request/operation.ts';

export default operation({
  name: 'suggest_relationships',
  spelling: 'prefixed',
  endpoints: METADATA,
  documentation:
    'Relationships that the foreign keys between tracked tables suggest, each key both ways, with the names that `engine init` gives.',
  arguments: object({
    source: sourceArgument,
    tables: optional(requiredList(qualifiedName)),
    omit_tracked: withDefault(boolean, false),
  }),
  changesMetadata: false,
  run: ({ source, tables, omit_tracked }, copy) => {
    const wanted = (name: QualifiedName) =>
      tables === undefined || tables.some((table) => sameName(table, name));
    return {
      relationships: suggestionsOf(copy, source)
        .filter(({ from, isThere }) => wanted(from) && !(omit_tracked && isThere))
        .map(({ type, name, from, to, key, isOwnKey }): JsonObject => {
          const [near, far] = [key.columns, key.references.columns];
          return {
            type,
            name,
            from: end(from, isOwnKey ? near : far),
            to: end(to, isOwnKey ? far : near),
          };
        }),
    };
  },
});

/** Relationships that the foreign keys between the tracked tables of a source suggest. @throws EngineError not-exists */
export function suggestionsOf(
  copy: Pick<WorkingCopy, 'metadata' | 'catalog'>,
  source: string,
): readonly SuggestedRelationship[] {
  const entries = new Map(
    findSource(copy.metadata, source).tables.map((entry) => [keyOf(entry.table), entry]),
  );
  return suggestRelationships(copy.catalog(source)?.tables ?? [], (table) => {
    const entry = entries.get(keyOf(table));
    if (!entry) return undefined;
    const { object_relationships, array_relationships, computed_fields, remote_relationships } = entry;
    const columns = table.columns.flatMap(({ name }) => {
      const custom = entry.configuration.column_config[name]?.custom_name;
      return custom === undefined ? [name] : [name, custom];
    });
    const others = [...computed_fields, ...remote_relationships].map(({ name }) => name);
    return {
      fields: [...columns, ...others],
      relationships: [...object_relationships, ...array_relationships],
    };
  });
}

function end({ schema, name }: QualifiedName, columns: readonly string[]): JsonObject {
  return { table: { schema, name }, columns };
}
