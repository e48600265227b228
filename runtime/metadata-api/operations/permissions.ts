import { EngineError } from '../../core/errors.ts';
import { quotedName } from '../../core/names.ts';
import { ADMIN_ROLE } from '../../core/session.ts';
import { object } from '../../metadata/combinators.ts';
import { type PermissionKind, permissionEntries } from '../../metadata/kinds/permission.ts';
import { comment } from '../../metadata/kinds/shared.ts';
import { lookalikesIn, valuesOf } from '../../metadata/lookalikes.ts';
import { name, oneOf } from '../../metadata/values.ts';
import { tableArguments } from '../request/arguments.ts';
import {
  type KeyedList,
  listOperations,
  type TablePlace,
  tableList,
  withComment,
} from '../request/list-operations.ts';
import { tablePart } from '../request/names.ts';
import { METADATA_AND_LEGACY, type MetadataOperation } from '../request/operation.ts';

const common = { spelling: 'prefixed', endpoints: METADATA_AND_LEGACY } as const;

const KINDS: Readonly<Record<PermissionKind, string>> = {
  insert: 'insert rows that satisfy a check, giving some columns while others are preset',
  select: 'read some columns of the rows that a filter admits',
  update: 'change some columns of the rows that a filter admits',
  delete: 'delete the rows that a filter admits',
};

const kinds = Object.keys(KINDS) as PermissionKind[];

function operationsOn(kind: PermissionKind) {
  return listOperations(tableList(`${kind}_permissions`, 'role'), common, (role, { source, table }) => [
    tablePart(`${kind}_permission`, role, source, table),
  ]);
}

function createPermission(kind: PermissionKind): MetadataOperation {
  const taken = (args: TablePlace & { readonly role: string }) =>
    new EngineError(
      'already-exists',
      `${kind} permission already defined on table ${quotedName(args.table)} with role "${args.role}"`,
    );
  return operationsOn(kind).create({
    name: `create_${kind}_permission`,
    documentation: `Lets a role ${KINDS[kind]}.`,
    arguments: object({ ...tableArguments, ...permissionEntries[kind].fields }),
    taken,
    after: (args, copy) => {
      const { role, source, table, permission } = args;
      if (role === ADMIN_ROLE) throw taken(args);
      const { type, name: object } = tablePart(`${kind}_permission`, role, source, table);
      for (const { code, message } of lookalikesIn(
        valuesOf({ path: [], permission }),
        copy.services.options.vocabulary,
      ))
        copy.warn({ code, message, type, name: object });
    },
  });
}

function dropPermission(kind: PermissionKind): MetadataOperation {
  return operationsOn(kind).drop({
    name: `drop_${kind}_permission`,
    documentation: `Drops the ${kind} permission of a role on a table.`,
    arguments: object({ ...tableArguments, role: name }),
    missing: ({ table, role }) =>
      new EngineError(
        'permission-denied',
        `${kind} permission on ${quotedName(table)} for role "${role}" does not exist`,
      ),
  });
}

type KindPlace = TablePlace & { readonly permission: PermissionKind };
type AnyPermission = { readonly role: string; readonly comment?: string };

/** The list of the kind that the arguments name. */
const anyKind: KeyedList<KindPlace, AnyPermission> = {
  key: 'role',
  place: ['source', 'table', 'permission'],
  read: (metadata, place) => listOf(place).read(metadata, place),
  update: (metadata, place, change) => listOf(place).update(metadata, place, change),
};

function listOf({ permission }: KindPlace): KeyedList<TablePlace, AnyPermission> {
  return tableList(`${permission}_permissions`, 'role') as unknown as KeyedList<TablePlace, AnyPermission>;
}

const setPermissionComment = listOperations(anyKind, common, (role, { source, table, permission }) => [
  tablePart(`${permission}_permission`, role, source, table),
]).change({
  name: 'set_permission_comment',
  documentation: 'Sets the comment of a permission; without `comment` it is cleared.',
  arguments: object({
    ...tableArguments,
    role: name,
    permission: oneOf('insert', 'select', 'update', 'delete'),
    comment,
  }),
  missing: ({ table, role, permission }) =>
    new EngineError(
      'permission-denied',
      `'${permission}' permission on ${quotedName(table)} for role "${role}" does not exist`,
    ),
  change: withComment,
});

export const permissionOperations: readonly MetadataOperation[] = [
  ...kinds.map(createPermission),
  ...kinds.map(dropPermission),
  setPermissionComment,
];
