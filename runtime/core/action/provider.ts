/** Actions as root fields: a synchronous one is a call, an asynchronous one a stored call and a field with its result. */

import { actionRule } from '../reason.ts';
import { lazy, remember } from '../remember.ts';
import type { CallResolver } from '../request/steps.ts';
import type { OfferedFields } from '../schema/fields-on-demand.ts';
import type { RootKind } from '../schema/offer.ts';
import type { Hidden, HiddenName, Provider } from '../schema/provider.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
import { typename } from '../schema/shared-types.ts';
import { byName, type FieldDefinition, nonNull, type TypeReference } from '../schema/types.ts';
import { ADMIN_ROLE } from '../session.ts';
import { isObjectType } from './answer.ts';
import type { ActionPart } from './plan.ts';
import type { ActionShape, ActionsProgram } from './shapes.ts';
import { type ActionTypes, actionTypes, answerField, postgresScalar } from './types.ts';

/** Name of the caller that answers the root fields of actions. */
export const ACTION_CALLER = 'action';

/** Makes the provider of a program's actions. */
export function actionProvider(program: ActionsProgram): Provider {
  const { actions, types } = program;
  const allowed = (role: string | undefined) =>
    actions.filter(({ roles }) => role === ADMIN_ROLE || (role !== undefined && roles.includes(role)));
  const typesText = lazy(() => JSON.stringify(types));
  return {
    name: 'actions',
    roles: [...new Set(actions.flatMap(({ roles }) => roles))],
    rootFields: (role, kind) => offeredActions(allowed(role.role), program, role, kind),
    hides: (unknown, roleSchema) =>
      hiddenAction(program, unknown) ?? hiddenTable(program, unknown, roleSchema),
    offer: (role) => {
      // Who else may call an action says nothing about this role.
      const own = allowed(role).map(({ roles: _, ...shape }) => shape);
      return own.length === 0 ? '' : JSON.stringify(own) + typesText();
    },
  };
}

/** An action that is not a field of a root: not permitted, or a field of another root. */
function hiddenAction(
  { actions }: ActionsProgram,
  { typeName, unknownName }: HiddenName,
): Hidden | undefined {
  const root = /^(query|mutation|subscription)_root$/.exec(typeName)?.[1] as RootKind | undefined;
  const shape = root && actions.find(({ name }) => name === unknownName);
  if (!shape || !isOffered(shape, root)) return undefined;
  return {
    because: (role) => ({
      rule: actionRule(unknownName, role),
      why: `the role ${role} has no permission for the action`,
    }),
  };
}

/** The table of a relationship that a role's custom type does not have. */
function hiddenTable(
  { types }: ActionsProgram,
  { typeName, unknownName }: HiddenName,
  { program }: RoleSchema,
): Hidden | undefined {
  const relationships =
    Object.hasOwn(types.objects ?? {}, typeName) && types.objects![typeName]!.relationships;
  if (!relationships || !Object.hasOwn(relationships, unknownName)) return undefined;
  const { source, table } = relationships[unknownName]!;
  const unreadable = program.tables.find((each) => each.key === table && each.source.name === source);
  return unreadable && { unreadable };
}

function offeredActions(
  allowed: readonly ActionShape[],
  { types }: ActionsProgram,
  role: RoleSchema,
  kind: RootKind,
): OfferedFields {
  const shapes = new Map(
    allowed.flatMap((shape) => (isOffered(shape, kind) ? [[shape.name, shape] as const] : [])),
  );
  const made = new Map<string, FieldDefinition>();
  return {
    get: (name) => {
      const shape = shapes.get(name);
      return shape && remember(made, name, () => rootField(shape, kind, actionTypes(types, role)));
    },
    names: () => shapes.keys(),
    none: () => shapes.size === 0,
  };
}

function isOffered({ type, kind: actionKind }: ActionShape, kind: RootKind): boolean {
  return actionKind === 'asynchronous' || kind === type;
}

function rootField(shape: ActionShape, kind: RootKind, types: ActionTypes): FieldDefinition {
  if (shape.kind === 'asynchronous' && kind !== 'mutation') return resultField(shape, types);
  const { name, description } = shape;
  const enqueues = shape.kind === 'asynchronous';
  const type = enqueues ? nonNull(UUID) : types.output(shape.output);
  const definitions = Object.entries(shape.arguments).map(
    ([argument, { type: text, description: words }]) => ({
      name: argument,
      ...(words ? { description: words } : {}),
      type: types.input(text),
    }),
  );
  return {
    name,
    ...(description ? { description } : {}),
    arguments: byName(definitions),
    type,
    meaning: call(shape, enqueues ? 'enqueue' : 'call', type),
  };
}

const UUID = postgresScalar('uuid', 'uuid');
const TIMESTAMPTZ = postgresScalar('timestamptz', 'timestamptz');
const JSON_SCALAR = postgresScalar('json', 'json');

/** The stored result of an asynchronous action, by the id that the mutation answered. */
function resultField(shape: ActionShape, types: ActionTypes): FieldDefinition {
  const { name } = shape;
  const output = types.output(shape.output);
  const type: TypeReference = isObjectType(output)
    ? {
        kind: 'object',
        name,
        description: `fields of action: ${JSON.stringify(name)}`,
        fields: lazy(() =>
          byName<FieldDefinition>([
            answerField('created_at', nonNull(TIMESTAMPTZ), {
              description: 'the time at which this action was created',
            }),
            answerField('errors', JSON_SCALAR, { description: 'errors related to the invocation' }),
            answerField('id', nonNull(UUID), { description: 'the unique id of an action' }),
            // The declared type, although it is null while the action runs: clients rely on it.
            answerField('output', output, { description: 'the output fields of this action' }),
            typename(),
          ]),
        ),
      }
    : output;
  return {
    name,
    ...(shape.description ? { description: shape.description } : {}),
    arguments: byName([{ name: 'id', description: 'the unique id of an action', type: nonNull(UUID) }]),
    type,
    meaning: call(shape, 'result', type),
  };
}

function call(shape: ActionShape, mode: ActionPart['mode'], type: TypeReference): FieldDefinition['meaning'] {
  const { roles: _, ...action } = shape;
  const resolve: CallResolver = ({ arguments: given, definition, selection }): ActionPart => ({
    action,
    mode,
    arguments: [...definition.arguments.values()].flatMap((argument) => {
      const node = given.get(argument.name);
      return node ? [{ name: argument.name, type: argument.type, node }] : [];
    }),
    type,
    selection,
  });
  const watched = mode === 'result' ? ({ watched: true } as const) : {};
  return { kind: 'call', caller: ACTION_CALLER, group: shape.name, resolve, ...watched };
}
