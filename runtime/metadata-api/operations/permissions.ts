import { EngineError } from '../../core/errors.ts';
import { ADMIN_ROLE } from '../../core/session.ts';
import type { Codec } from '../../metadata/codec.ts';
import { object, optional } from '../../metadata/combinators.ts';
import type { PermissionKind } from '../../metadata/dependencies.ts';
import {
  deletePermission,
  insertPermission,
  selectPermission,
  updatePermission,
} from '../../metadata/kinds/permission.ts';
import type { Permission } from '../../metadata/metadata.ts';
import { name, text } from '../../metadata/values.ts';
import { tableArguments } from '../arguments.ts';
import { findTable, NO_PATH, optionally, withTable } from '../edit.ts';
import { quoted, tablePart } from '../names.ts';
import { METADATA_AND_LEGACY, type Operation, operation, SUCCESS } from '../operation.ts';

function createPermission<Rule>(kind: PermissionKind, rule: Codec<Rule>, what: string): Operation {
  const list = `${kind}_permissions` as const;
  return operation({
    name: `create_${kind}_permission`,
    spelling: 'prefixed',
    endpoints: METADATA_AND_LEGACY,
    documentation: `Lets a role ${what}.`,
    arguments: object({
      ...tableArguments,
      role: name,
      permission: rule,
      comment: optional(text),
    }),
    policy: 'target',
    targets: ({ source, table, role }) => [tablePart(`${kind}_permission`, role, source, table)],
    changesMetadata: true,
    run: ({ source, table, role, permission, comment }, copy) => {
      const existing: readonly { readonly role: string }[] = findTable(copy.metadata, source, table)[list];
      if (role === ADMIN_ROLE || existing.some((entry) => entry.role === role)) {
        throw new EngineError(
          'already-exists',
          `${kind} permission already defined on table ${quoted(table)} with role "${role}"`,
        );
      }
      const added: Permission<Rule> = { ...NO_PATH, role, permission, ...optionally('comment', comment) };
      copy.metadata = withTable(copy.metadata, source, table, (entry) => ({
        ...entry,
        [list]: [...entry[list], added],
      }));
      return SUCCESS;
    },
  });
}

function dropPermission(kind: PermissionKind): Operation {
  const list = `${kind}_permissions` as const;
  return operation({
    name: `drop_${kind}_permission`,
    spelling: 'prefixed',
    endpoints: METADATA_AND_LEGACY,
    documentation: `Drops the ${kind} permission of a role on a table.`,
    arguments: object({ ...tableArguments, role: name }),
    policy: 'others',
    changesMetadata: true,
    run: ({ source, table, role }, copy) => {
      const existing: readonly { readonly role: string }[] = findTable(copy.metadata, source, table)[list];
      if (!existing.some((entry) => entry.role === role)) {
        throw new EngineError(
          'permission-denied',
          `${kind} permission on ${quoted(table)} for role "${role}" does not exist`,
        );
      }
      const kept = existing.filter((entry) => entry.role !== role);
      copy.metadata = withTable(copy.metadata, source, table, (entry) => ({ ...entry, [list]: kept }));
      return SUCCESS;
    },
  });
}

export const createInsertPermission = createPermission(
  'insert',
  insertPermission,
  'insert rows that satisfy a check, giving some columns while others are preset',
);
export const createSelectPermission = createPermission(
  'select',
  selectPermission,
  'read some columns of the rows that a filter admits',
);
export const createUpdatePermission = createPermission(
  'update',
  updatePermission,
  'change some columns of the rows that a filter admits',
);
export const createDeletePermission = createPermission(
  'delete',
  deletePermission,
  'delete the rows that a filter admits',
);
export const dropInsertPermission = dropPermission('insert');
export const dropSelectPermission = dropPermission('select');
export const dropUpdatePermission = dropPermission('update');
export const dropDeletePermission = dropPermission('delete');
