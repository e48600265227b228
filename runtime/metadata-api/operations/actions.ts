import { EngineError } from '../../core/errors.ts';
import { object, optional, withDefault } from '../../metadata/combinators.ts';
import { actionHead } from '../../metadata/kinds/action.ts';
import { boolean, name, text } from '../../metadata/values.ts';
import { NO_PATH } from '../change/edit.ts';
import { innerList, listOperations, serviceList } from '../request/list-operations.ts';
import { globalObject } from '../request/names.ts';
import { METADATA_AND_LEGACY, type MetadataOperation } from '../request/operation.ts';

const common = { spelling: 'bare', endpoints: METADATA_AND_LEGACY } as const;

const missing = (action: string) =>
  new EngineError('not-exists', `action with name "${action}" does not exist`);

const actions = serviceList('actions', 'name');

const { create, change, drop } = listOperations(actions, common, (action) => [
  globalObject('action', action),
]);

const permissions = listOperations(
  innerList(actions, 'action', missing, {
    key: 'role',
    read: (action) => action.permissions,
    write: (action, permissions) => ({ ...action, permissions }),
  }),
  { ...common, policy: 'target' },
  (role, { action }) => [globalObject('action_permission', `${role} permission in ${action}`)],
);

const permissionArguments = object({ action: name, role: name, comment: optional(text) });

export const actionOperations: readonly MetadataOperation[] = [
  create({
    name: 'create_action',
    documentation: 'Adds a query or mutation that a web hook answers.',
    arguments: actionHead,
    taken: (head) => new EngineError('already-exists', `action with name "${head.name}" already exists`),
    entry: (head) => ({ ...NO_PATH, ...head, permissions: [] }),
  }),
  change({
    name: 'update_action',
    documentation: 'Replaces the definition and the comment of an action; its permissions stay.',
    arguments: actionHead,
    missing: (head) => missing(head.name),
    change: ({ permissions }, head) => ({ ...NO_PATH, ...head, permissions }),
  }),
  drop({
    name: 'drop_action',
    documentation:
      'Drops an action with its permissions, and with `clear_data` what its asynchronous calls left.',
    arguments: object({ name, clear_data: withDefault<boolean>(boolean, true) }),
    missing: (args) => missing(args.name),
    after: (args, copy) => {
      if (args.clear_data) copy.forgottenActions.add(args.name);
    },
  }),
  permissions.create({
    name: 'create_action_permission',
    documentation: 'Lets a role call an action.',
    arguments: permissionArguments,
    taken: ({ action, role }) =>
      new EngineError('already-exists', `permission for role "${role}" is already defined on "${action}"`),
  }),
  permissions.drop({
    name: 'drop_action_permission',
    documentation: "Takes a role's permission to call an action away.",
    arguments: permissionArguments,
    missing: ({ action, role }) =>
      new EngineError('not-exists', `permission for role: "${role}" is not defined on "${action}"`),
  }),
];
