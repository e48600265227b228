import type { z } from 'zod';
import { diagnostics as messages } from '../diagnostics/catalogue.ts';
import { nearest } from '../diagnostics/nearest.ts';
import type { FunctionEntry, MetadataPath, Permission, TableEntry } from './metadata.ts';
import {
  displayName,
  type Reader,
  readEntries,
  readList,
  readValue,
  reportUnknownKeys,
  withoutDuplicates,
} from './reader.ts';
import {
  deletePermissionEntrySchema,
  insertPermissionEntrySchema,
  rolePermissionSchema,
  selectPermissionEntrySchema,
  updatePermissionEntrySchema,
} from './schemas/permission.ts';
import {
  arrayRelationshipSchema,
  objectRelationshipSchema,
  remoteRelationshipSchema,
} from './schemas/relationship.ts';
import { isObject } from './schemas/shared.ts';
import { computedFieldSchema, functionHeadSchema, tableHeadSchema } from './schemas/table.ts';
import { eventTriggerSchema } from './schemas/trigger.ts';

const headKeys = ['table', 'is_enum', 'configuration', 'apollo_federation_config'];
const listKeys = [
  'object_relationships',
  'array_relationships',
  'computed_fields',
  'remote_relationships',
  'insert_permissions',
  'select_permissions',
  'update_permissions',
  'delete_permissions',
  'event_triggers',
];

/** Reads the tables of a source. */
export function readTables(reader: Reader, input: unknown, path: MetadataPath): TableEntry[] {
  const tables = readList(input, path, reader, readTable);
  return withoutDuplicates(tables, 'tables', ({ table }) => displayName(table), reader);
}

/** Reads one table entry; unknown keys in it are an error, because a misspelt key could hide a permission. */
function readTable(reader: Reader, input: unknown, path: MetadataPath): TableEntry | undefined {
  const entry = isObject(input) ? input : {};
  const known = [...headKeys, ...listKeys];
  const unexpected = Object.keys(entry).filter((key) => !known.includes(key));
  if (unexpected.length > 0) {
    const keys = unexpected.map((key) => JSON.stringify(key)).join(',');
    reader.report(
      [...path, unexpected[0]!],
      messages.tableKeysUnexpected({ keys, nearest: nearest(unexpected[0]!, known) }),
    );
  }
  const head = readValue(reader, tableHeadSchema, isObject(input) ? pick(entry, headKeys) : input, path);
  const named = <Entry extends { name: string }>(key: string, kind: string, schema: z.ZodType<Entry>) =>
    readEntries(entry[key], [...path, key], reader, schema, kind, ({ name }) => name);
  const permissions = <Rule>(
    key: string,
    kind: string,
    schema: z.ZodType<Omit<Permission<Rule>, 'path'>>,
  ): Permission<Rule>[] => readEntries(entry[key], [...path, key], reader, schema, kind, ({ role }) => role);
  // The lists are read even if the table itself is bad: whoever repairs it wants to know everything at once.
  const lists = {
    object_relationships: named('object_relationships', 'object relationships', objectRelationshipSchema),
    array_relationships: named('array_relationships', 'array relationships', arrayRelationshipSchema),
    computed_fields: named('computed_fields', 'computed fields', computedFieldSchema),
    remote_relationships: named('remote_relationships', 'remote relationships', remoteRelationshipSchema),
    insert_permissions: permissions('insert_permissions', 'insert permissions', insertPermissionEntrySchema),
    select_permissions: permissions('select_permissions', 'select permissions', selectPermissionEntrySchema),
    update_permissions: permissions('update_permissions', 'update permissions', updatePermissionEntrySchema),
    delete_permissions: permissions('delete_permissions', 'delete permissions', deletePermissionEntrySchema),
    event_triggers: named('event_triggers', 'event triggers', eventTriggerSchema),
  };
  return head && { ...head, ...lists, path };
}

/** Reads the functions of a source. A bare name (metadata version 1) stands for an entry without configuration. */
export function readFunctions(reader: Reader, input: unknown, path: MetadataPath): FunctionEntry[] {
  const functions = readList(input, path, reader, readFunction);
  return withoutDuplicates(functions, 'functions', (entry) => displayName(entry.function), reader);
}

const functionKeys = ['function', 'configuration', 'comment'];

function readFunction(reader: Reader, input: unknown, path: MetadataPath): FunctionEntry | undefined {
  const isBareName =
    typeof input === 'string' || (isObject(input) && 'name' in input && !('function' in input));
  const entry = isBareName ? { function: input } : isObject(input) ? input : undefined;
  if (entry) reportUnknownKeys(reader, entry, [...functionKeys, 'permissions'], path);
  const head = readValue(reader, functionHeadSchema, entry ? pick(entry, functionKeys) : input, path);
  const permissions = readEntries(
    (entry as { permissions?: unknown } | undefined)?.permissions,
    [...path, 'permissions'],
    reader,
    rolePermissionSchema,
    'permissions',
    ({ role }) => role,
  );
  return head && { ...head, permissions, path };
}

/** The part of an object with these keys. */
export function pick(
  input: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([key]) => keys.includes(key)));
}
