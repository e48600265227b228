/**
 * Operations that create, change and drop the entries of one list of the metadata. An operation says what is its own: its
 * name, arguments, documentation line and errors; how a list is found and changed is said once for each list.
 */
import type { EngineError } from '../../core/errors.ts';
import type { Codec } from '../../metadata/codec.ts';
import type { FunctionEntry, Located, Metadata, QualifiedName, TableEntry } from '../../metadata/metadata.ts';
import { findFunction, findTable, NO_PATH, replaceWhere, withFunction, withTable } from '../change/edit.ts';
import type { Policy } from '../change/policy.ts';
import type { WorkingCopy } from '../change/working-copy.ts';
import type { ObjectIdentity } from './names.ts';
import { type MetadataOperation, operation, SUCCESS } from './operation.ts';

/** Where a list is, and the property that identifies its entries. `Place` are the arguments that select the list. */
export interface KeyedList<Place, Item> {
  readonly key: string;
  /** The arguments that are no part of an entry. */
  readonly place: readonly string[];
  /** Throws `not-exists` if what holds the list does not exist. */
  readonly read: (metadata: Metadata, place: Place) => readonly Item[];
  readonly update: (
    metadata: Metadata,
    place: Place,
    change: (items: readonly Item[]) => readonly Item[],
  ) => Metadata;
  /** Added entries come first, not last. */
  readonly newestFirst?: true;
}

/** The keys of an object whose values are lists. */
type ListKey<Owner> = keyof {
  [Key in keyof Owner as Owner[Key] extends readonly Located[] ? Key : never]: never;
} &
  keyof Owner;
type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never;

/** A list at the top of the metadata. */
export function serviceList<Name extends ListKey<Metadata>>(
  name: Name,
  key: string,
): KeyedList<object, ItemOf<Metadata[Name]>> {
  type Items = readonly ItemOf<Metadata[Name]>[];
  return {
    key,
    place: [],
    read: (metadata) => metadata[name] as unknown as Items,
    update: (metadata, _, change) => ({ ...metadata, [name]: change(metadata[name] as unknown as Items) }),
  };
}

/**
 * A list inside each entry of a list at the top of the metadata.
 * @param argument the argument that names the entry
 * @param missing the error where there is no such entry
 */
export function innerList<Argument extends string, Owner, Item>(
  outer: KeyedList<object, Owner>,
  argument: Argument,
  missing: (owner: string) => EngineError,
  inner: {
    readonly key: string;
    readonly read: (owner: Owner) => readonly Item[];
    readonly write: (owner: Owner, items: readonly Item[]) => Owner;
    readonly newestFirst?: true;
  },
): KeyedList<{ readonly [Key in Argument]: string }, Item> {
  const { read, write, ...list } = inner;
  const isNamed = (name: string) => (owner: Owner) =>
    (owner as Readonly<Record<string, unknown>>)[outer.key] === name;
  return {
    ...list,
    place: [argument],
    read: (metadata, { [argument]: name }) => {
      const owner = outer.read(metadata, {}).find(isNamed(name));
      if (owner === undefined) throw missing(name);
      return read(owner);
    },
    update: (metadata, { [argument]: name }, change) =>
      outer.update(metadata, {}, (owners) =>
        replaceWhere(owners, isNamed(name), (owner) => write(owner, change(read(owner)))),
      ),
  };
}

export interface TablePlace {
  readonly source: string;
  readonly table: QualifiedName;
}

/** A list of a tracked table. Errors about the table are at `path`. */
export function tableList<Name extends ListKey<TableEntry>>(
  name: Name,
  key: string,
  path?: string,
): KeyedList<TablePlace, ItemOf<TableEntry[Name]>> {
  type Items = readonly ItemOf<TableEntry[Name]>[];
  return {
    key,
    place: ['source', 'table'],
    read: (metadata, { source, table }) => findTable(metadata, source, table, path)[name] as unknown as Items,
    update: (metadata, { source, table }, change) =>
      withTable(metadata, source, table, (entry) => ({
        ...entry,
        [name]: change(entry[name] as unknown as Items),
      })),
  };
}

interface FunctionPlace {
  readonly source: string;
  readonly function: QualifiedName;
}

/** The permissions of a tracked function. */
export const functionPermissions: KeyedList<FunctionPlace, ItemOf<FunctionEntry['permissions']>> = {
  key: 'role',
  place: ['source', 'function'],
  read: (metadata, { source, function: name }) => findFunction(metadata, source, name).permissions,
  update: (metadata, { source, function: name }, change) =>
    withFunction(metadata, source, name, (entry) => ({ ...entry, permissions: change(entry.permissions) })),
};

/** Declaration of an operation on a list. */
interface Definition<Args>
  extends Pick<MetadataOperation<Args>, 'name' | 'documentation' | 'arguments' | 'policy'> {
  readonly arguments: Codec<Args>;
  /** The argument that names the entry, where it is called otherwise than the entry's own property. */
  readonly keyArgument?: keyof Args & string;
  /** Checks before the list is looked at. Throws. */
  readonly before?: (args: Args, copy: WorkingCopy) => void;
  /** Checks after that, and what else the operation does to the metadata, before the list changes. */
  readonly after?: (args: Args, copy: WorkingCopy) => void | Promise<void>;
  /** Checks of the changed metadata, before the policy. Throws. */
  readonly accept?: (args: Args, copy: WorkingCopy) => Promise<void>;
}

interface Creation<Args, Item> extends Definition<Args> {
  /** The entry; by default the arguments that do not name the list. */
  readonly entry?: (args: Args) => Item;
  /** The error where there is such an entry already; absent if `before` sees to that. */
  readonly taken?: (args: Args) => EngineError;
  /** Whether the entry replaces one, which must exist. */
  readonly replaces?: (args: Args) => boolean;
  /** The error where there is no entry to replace. */
  readonly missing?: (args: Args) => EngineError;
}

interface Removal<Args> extends Definition<Args> {
  readonly missing: (args: Args, copy: WorkingCopy) => EngineError;
}

interface Change<Args, Item> extends Removal<Args> {
  readonly change: (item: Item, args: Args) => Item;
}

export interface ListOperations<Place, Item> {
  /** Adds an entry, which must be consistent unless there is another policy. */
  create<Args extends Place>(definition: Creation<Args, Item>): MetadataOperation;
  /** Replaces an entry, which must be consistent afterwards unless there is another policy. */
  change<Args extends Place>(definition: Change<Args, Item>): MetadataOperation;
  /** Drops an entry; nothing may become inconsistent by that. */
  drop<Args extends Place>(definition: Removal<Args>): MetadataOperation;
}

/**
 * The operations on a list.
 * @param identify the objects that an operation is about, as `get_inconsistent_metadata` names them
 */
export function listOperations<Place, Item>(
  list: KeyedList<Place, Item>,
  common: Pick<MetadataOperation, 'spelling' | 'endpoints'> & { readonly policy?: Policy },
  identify: (key: string, place: Place) => readonly ObjectIdentity[],
): ListOperations<Place, Item> {
  const entryOf = (args: object) => {
    const own = Object.entries(args).filter(([name]) => !list.place.includes(name));
    return { ...NO_PATH, ...Object.fromEntries(own) } as Item;
  };
  const keyOf = (item: unknown) => (item as Readonly<Record<string, string>>)[list.key]!;

  function define<Args extends Place>(
    definition: Definition<Args>,
    policy: 'target' | 'others',
    write: (
      args: Args,
      key: string,
      exists: boolean,
      copy: WorkingCopy,
    ) => (items: readonly Item[]) => readonly Item[],
  ): MetadataOperation {
    const { keyArgument = list.key, before, after, accept, ...own } = definition;
    const keyIn = (args: Args) => (args as Readonly<Record<string, string>>)[keyArgument]!;
    return operation<Args>({
      policy,
      ...common,
      // Nothing of a dropped entry needs to be judged.
      ...(policy === 'target' && { targets: (args: Args) => identify(keyIn(args), args) }),
      ...own,
      changesMetadata: true,
      run: async (args, copy) => {
        before?.(args, copy);
        const key = keyIn(args);
        const exists = list.read(copy.metadata, args).some((item) => keyOf(item) === key);
        const change = write(args, key, exists, copy);
        await after?.(args, copy);
        copy.metadata = list.update(copy.metadata, args, change);
        await accept?.(args, copy);
        return SUCCESS;
      },
    });
  }

  const withKey = (key: string) => (item: Item) => keyOf(item) === key;

  return {
    create: (definition) =>
      define(definition, 'target', (args, key, exists) => {
        const replaces = definition.replaces?.(args) ?? false;
        if (exists && !replaces && definition.taken) throw definition.taken(args);
        if (!exists && replaces && definition.missing) throw definition.missing(args);
        const added = definition.entry ? definition.entry(args) : entryOf(args as object);
        return (items) => {
          if (exists && replaces) return replaceWhere(items, withKey(key), () => added);
          return list.newestFirst ? [added, ...items] : [...items, added];
        };
      }),
    change: (definition) =>
      define(definition, 'target', (args, key, exists, copy) => {
        if (!exists) throw definition.missing(args, copy);
        return (items) => replaceWhere(items, withKey(key), (item) => definition.change(item, args));
      }),
    drop: (definition) =>
      define(definition, 'others', (args, key, exists, copy) => {
        if (!exists) throw definition.missing(args, copy);
        return (items) => items.filter((item) => !withKey(key)(item));
      }),
  };
}

/** The entry with another comment, or without one. */
export function withComment<Item extends object>(
  item: Item,
  { comment }: { readonly comment?: string },
): Item {
  const { comment: _, ...rest } = item as { readonly comment?: string };
  return { ...rest, ...(comment !== undefined && { comment }) } as Item;
}
