/**
 * The order in which lists of the metadata are exported and stored. What is held is kept in it as well: the order in which
 * inconsistent objects are listed, and who has a name that two claim, must not depend on the order of requests.
 */
import type { Metadata, Source, TableEntry } from './metadata.ts';

/** The metadata with its lists in order; the identical parts where they were already. */
export function inStoredOrder(metadata: Metadata): Metadata {
  return withLists(metadata, {
    // The source `default` comes first.
    sources: each(
      ordered(metadata.sources, ({ name }) => (name === 'default' ? '' : name)),
      sourceInOrder,
    ),
    remote_schemas: ordered(metadata.remote_schemas, named),
    query_collections: ordered(metadata.query_collections, named),
    allowlist: ordered(metadata.allowlist, ({ collection }) => collection),
    actions: ordered(metadata.actions, named),
    cron_triggers: ordered(metadata.cron_triggers, named),
    rest_endpoints: ordered(metadata.rest_endpoints, ({ url }) => url),
    inherited_roles: ordered(metadata.inherited_roles, ({ role_name }) => role_name),
  });
}

function sourceInOrder(source: Source): Source {
  return withLists(source, {
    tables: each(
      ordered(source.tables, ({ table }) => [table.schema, table.name]),
      tableInOrder,
    ),
    functions: ordered(source.functions, (entry) => [entry.function.schema, entry.function.name]),
  });
}

/** Entries that are known to be in order. */
const known = new WeakSet<TableEntry>();

function tableInOrder(entry: TableEntry): TableEntry {
  if (known.has(entry)) return entry;
  const table = withLists(entry, {
    object_relationships: ordered(entry.object_relationships, named),
    array_relationships: ordered(entry.array_relationships, named),
    computed_fields: ordered(entry.computed_fields, named),
    remote_relationships: ordered(entry.remote_relationships, named),
    insert_permissions: ordered(entry.insert_permissions, ofRole),
    select_permissions: ordered(entry.select_permissions, ofRole),
    update_permissions: ordered(entry.update_permissions, ofRole),
    delete_permissions: ordered(entry.delete_permissions, ofRole),
    event_triggers: ordered(entry.event_triggers, named),
  });
  known.add(table);
  return table;
}

const named = ({ name }: { readonly name: string }) => name;
const ofRole = ({ role }: { readonly role: string }) => role;

/** Sorted by a text or a list of texts, in code unit order: the same everywhere, whatever the language. Itself if it was. */
function ordered<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | readonly string[],
): readonly Item[] {
  // U+0000 occurs in no name, and sorts before everything that does.
  const keyed = items.map((item) => ({ item, key: [keyOf(item)].flat().join('\u0000') }));
  if (keyed.every(({ key }, index) => index === 0 || keyed[index - 1]!.key <= key)) return items;
  keyed.sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0));
  return keyed.map(({ item }) => item);
}

function each<Item>(items: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  const changed = items.map(change);
  return changed.every((item, index) => item === items[index]) ? items : changed;
}

/** The object with these lists, or itself if it has them. */
function withLists<Value extends object>(value: Value, lists: Partial<Value>): Value {
  const isSame = Object.entries(lists).every(([key, list]) => value[key as keyof Value] === list);
  return isSame ? value : { ...value, ...lists };
}
