import { EngineError } from '../../core/errors.ts';
import { object, optional, withDefault } from '../../metadata/combinators.ts';
import { actionHead } from '../../metadata/kinds/action.ts';
import type { Action } from '../../metadata/metadata.ts';
import { boolean, name, text } from '../../metadata/values.ts';
import { NO_PATH, optionally, replaceWhere } from '../edit.ts';
import { globalObject } from '../names.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../operation.ts';
import type { WorkingCopy } from '../working-copy.ts';

export const createAction = operation({
  name: 'create_action',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Adds a query or mutation that a web hook answers.',
  arguments: actionHead,
  policy: 'target',
  targets: ({ name }) => [globalObject('action', name)],
  changesMetadata: true,
  run: (head, copy) => {
    if (copy.metadata.actions.some(({ name }) => name === head.name)) {
      throw new EngineError('already-exists', `action with name "${head.name}" already exists`);
    }
    copy.metadata = {
      ...copy.metadata,
      actions: [...copy.metadata.actions, { ...NO_PATH, ...head, permissions: [] }],
    };
    return SUCCESS;
  },
});

export const updateAction = operation({
  name: 'update_action',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Replaces the definition and the comment of an action; its permissions stay.',
  arguments: actionHead,
  policy: 'target',
  targets: ({ name }) => [globalObject('action', name)],
  changesMetadata: true,
  run: (head, copy) => {
    const { permissions } = findAction(copy, head.name);
    changeAction(copy, head.name, () => ({ ...NO_PATH, ...head, permissions }));
    return SUCCESS;
  },
});

export const dropAction = operation({
  name: 'drop_action',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation:
    'Drops an action with its permissions, and with `clear_data` what its asynchronous calls left.',
  arguments: object({ name, clear_data: withDefault<boolean>(boolean, true) }),
  policy: 'others',
  changesMetadata: true,
  run: ({ name }, copy) => {
    findAction(copy, name);
    copy.metadata = {
      ...copy.metadata,
      actions: copy.metadata.actions.filter((action) => action.name !== name),
    };
    return SUCCESS;
  },
});

const permissionArguments = object({
  action: name,
  role: name,
  comment: optional(text),
});

export const createActionPermission = operation({
  name: 'create_action_permission',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Lets a role call an action.',
  arguments: permissionArguments,
  policy: 'target',
  targets: ({ action, role }) => [globalObject('action_permission', `${role} permission in ${action}`)],
  changesMetadata: true,
  run: ({ action, role, comment }, copy) => {
    if (findAction(copy, action).permissions.some((permission) => permission.role === role)) {
      throw new EngineError(
        'already-exists',
        `permission for role "${role}" is already defined on "${action}"`,
      );
    }
    const added = { ...NO_PATH, role, ...optionally('comment', comment) };
    changeAction(copy, action, (found) => ({ ...found, permissions: [...found.permissions, added] }));
    return SUCCESS;
  },
});

export const dropActionPermission = operation({
  name: 'drop_action_permission',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: "Takes a role's permission to call an action away.",
  arguments: permissionArguments,
  policy: 'target',
  changesMetadata: true,
  run: ({ action, role }, copy) => {
    if (!findAction(copy, action).permissions.some((permission) => permission.role === role)) {
      throw new EngineError('not-exists', `permission for role: "${role}" is not defined on "${action}"`);
    }
    changeAction(copy, action, (found) => ({
      ...found,
      permissions: found.permissions.filter((permission) => permission.role !== role),
    }));
    return SUCCESS;
  },
});

function findAction(copy: WorkingCopy, name: string): Action {
  const found = copy.metadata.actions.find((action) => action.name === name);
  if (found === undefined) throw new EngineError('not-exists', `action with name "${name}" does not exist`);
  return found;
}

function changeAction(copy: WorkingCopy, name: string, change: (action: Action) => Action): void {
  const actions = replaceWhere(copy.metadata.actions, (action) => action.name === name, change);
  copy.metadata = { ...copy.metadata, actions };
}
