import type { z } from 'zod';
import { EngineError } from '../../core/errors.ts';
import { ADMIN_ROLE } from '../../core/session.ts';
import type { PermissionKind } from '../../metadata/dependencies.ts';
import type { Permission, QualifiedName } from '../../metadata/metadata.ts';
import {
  deletePermissionSchema,
  insertPermissionSchema,
  selectPermissionSchema,
  updatePermissionSchema,
} from '../../metadata/schemas/permission.ts';
import { nameSchema, object, optional, text } from '../../metadata/schemas/shared.ts';
import { tableArguments } from '../arguments.ts';
import { findTable, NO_PATH, optionally, withTable } from '../edit.ts';
import { quoted, tablePart } from '../names.ts';
import { METADATA_AND_LEGACY, type Operation, operation, SUCCESS } from '../operation.ts';

interface CreateArguments<Rule> {
  readonly table: QualifiedName;
  readonly source: string;
  readonly role: string;
  readonly permission: Rule;
  readonly comment?: string;
}

interface DropArguments {
  readonly table: QualifiedName;
  readonly source: string;
  readonly role: string;
}

function createPermission<Rule>(kind: PermissionKind, rule: z.ZodType<Rule>, what: string): Operation {
  const list = `${kind}_permissions` as const;
  return operation<CreateArguments<Rule>>({
    name: `create_${kind}_permission`,
    spelling: 'prefixed',
    endpoints: METADATA_AND_LEGACY,
    documentation: `Lets a role ${what}.`,
    arguments: object<CreateArguments<Rule>>({
      ...tableArguments,
      role: nameSchema,
      permission: rule,
      comment: optional(text),
    } as never),
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
  return operation<DropArguments>({
    name: `drop_${kind}_permission`,
    spelling: 'prefixed',
    endpoints: METADATA_AND_LEGACY,
    documentation: `Drops the ${kind} permission of a role on a table.`,
    arguments: object<DropArguments>({ ...tableArguments, role: nameSchema }),
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
  insertPermissionSchema,
  'insert rows that satisfy a check, giving some columns while others are preset',
);
export const createSelectPermission = createPermission(
  'select',
  selectPermissionSchema,
  'read some columns of the rows that a filter admits',
);
export const createUpdatePermission = createPermission(
  'update',
  updatePermissionSchema,
  'change some columns of the rows that a filter admits',
);
export const createDeletePermission = createPermission(
  'delete',
  deletePermissionSchema,
  'delete the rows that a filter admits',
);
export const dropInsertPermission = dropPermission('insert');
export const dropSelectPermission = dropPermission('select');
export const dropUpdatePermission = dropPermission('update');
export const dropDeletePermission = dropPermission('delete');
