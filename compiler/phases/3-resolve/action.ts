/** Actions and the custom types that they use, in the form of the generated files. */

import { nativeScalarKey } from '../../../runtime/core/action/native-scalars.ts';
import type {
  ActionShape,
  ActionsProgram,
  CustomFieldShape,
  CustomObjectShape,
  CustomTypesShape,
} from '../../../runtime/core/action/shapes.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { lossOf } from '../../../runtime/core/diagnostics/causes.ts';
import { at } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { BUILT_IN_SCALARS, isGraphqlName, keyOf } from '../../../runtime/core/names.ts';
import type {
  Action,
  CustomField,
  CustomTypes,
  InheritedRole,
  Metadata,
} from '../../../runtime/metadata/metadata.ts';
import { checkTransforms } from './action-transform.ts';
import { functionOwner, rootTypeOf } from './conflict.ts';
import { baseType, resolveCustomTypes, type Scopes, type TypeKinds, withoutPaths } from './custom-types.ts';
import { missingVariables, type SetVariables } from './environment.ts';
import { inheritFunctionRoles } from './inherited-role.ts';
import { attempt, Failure, type PhaseReport, type ReportedObject } from './report.ts';

import type { SourceStructure } from './structure.ts';
import type { TakenType } from './type-register.ts';

/** Inputs of the resolution of actions besides the metadata. */
export interface ActionSurroundings {
  readonly scopes: Scopes;
  readonly structures: readonly SourceStructure[];
  /** Names of types that sources have. */
  readonly types: ReadonlyMap<string, TakenType>;
  readonly inheritedRoles: readonly InheritedRole[];
  readonly environment: SetVariables;
}

/** Resolves the custom types and the actions; undefined when no action is served. */
export function resolveActions(
  { custom_types, actions }: Metadata,
  { scopes, structures, types, inheritedRoles, environment }: ActionSurroundings,
  report: PhaseReport,
): ActionsProgram | undefined {
  const { input_objects, objects, scalars, enums } = custom_types;
  if (actions.length + input_objects.length + objects.length + scalars.length + enums.length === 0)
    return undefined;
  const kinds = resolveCustomTypes(custom_types, scopes, types, report);
  const taken = rootFieldOwners(actions.length > 0 ? structures : []);
  const resolved = actions.flatMap((action) => {
    const shape = attempt(report, actionObject(action), () => {
      if (!kinds) throw new Failure(messages.customTypesInconsistent()).missing(lossOf.customTypes);
      requireTypes(action, kinds);
      requireNames(action, custom_types, types);
      refuseNestedRelationships(action, custom_types, kinds);
      report.diagnostics.push(...checkTransforms(action, custom_types));
      const { handler, headers } = action.definition;
      const missing = missingVariables(environment, handler, headers);
      if (missing) throw new Failure(missing);
      claimRootFields(action, taken);
      return actionShape(action, actionRoles(action, inheritedRoles, report));
    });
    return shape ? [shape] : [];
  });
  if (!kinds || resolved.length === 0) return undefined;
  resolved.sort((left, right) => (left.name < right.name ? -1 : 1));
  return { types: typesShape(custom_types, resolved, kinds), actions: resolved };
}

/** Types of the fields of an asynchronous action itself: created_at, errors and id. */
const OWN_SCALARS = ['timestamptz', 'json', 'uuid'];

/** @throws Failure */
function requireTypes({ definition }: Action, kinds: TypeKinds): void {
  for (const argument of definition.arguments) {
    const name = baseType(argument.type);
    const kind = kinds.get(name);
    if (kind === undefined || kind === 'object')
      throw new Failure(messages.actionArgumentTypeUnknown({ name }));
  }
  const name = baseType(definition.output_type);
  const kind = kinds.get(name);
  if (kind === undefined || kind === 'input_object')
    throw new Failure(messages.actionOutputTypeUnknown({ name }));
}

/** The names that an action brings along: its field, its arguments, and the type of an asynchronous one. @throws Failure */
function requireNames(
  { name, definition }: Action,
  customTypes: CustomTypes,
  types: ActionSurroundings['types'],
): void {
  for (const each of [name, ...definition.arguments.map((argument) => argument.name)])
    if (!isGraphqlName(each)) throw new Failure(messages.nameNotGraphql({ name: each }));
  if (definition.kind !== 'asynchronous') return;
  const { input_objects, objects, scalars, enums } = customTypes;
  const isCustom = [...input_objects, ...objects, ...scalars, ...enums].some((each) => each.name === name);
  const known = types.get(name);
  const other = isCustom ? 'a custom type' : known && !known.apart ? known.owner : undefined;
  if (other !== undefined)
    throw new Failure(messages.typeNameConflict({ type: name, owner: `action "${name}"`, other }));
  for (const scalar of OWN_SCALARS) {
    const taken = types.get(scalar);
    if (taken && taken.form !== 'scalar')
      throw new Failure(
        messages.typeNameConflict({ type: scalar, owner: `action "${name}"`, other: taken.owner }),
      );
  }
}

/** @throws Failure for an asynchronous action whose output type has relationships and fields of object types */
function refuseNestedRelationships({ definition }: Action, { objects }: CustomTypes, kinds: TypeKinds): void {
  if (definition.kind !== 'asynchronous') return;
  const output = objects.find(({ name }) => name === baseType(definition.output_type));
  if (!output || output.relationships.length === 0) return;
  const nested = output.fields.filter(({ type }) => kinds.get(baseType(type)) === 'object');
  if (nested.length === 0) return;
  const fields = nested.map(({ name }) => JSON.stringify(name)).join(', ');
  throw new Failure(messages.asyncActionRelationshipsNested({ fields }));
}

/** Owners of root fields that are not below a namespace, by root type and name. */
function rootFieldOwners(structures: readonly SourceStructure[]): Map<string, string> {
  const owners = new Map<string, string>();
  for (const { scope, tables, functions } of structures) {
    const { rootNamespace, name } = scope.shape;
    if (rootNamespace) {
      for (const root of ['query_root', 'mutation_root', 'subscription_root'])
        owners.set(`${root} ${rootNamespace}`, `namespace of source ${name}`);
      continue;
    }
    for (const { key, rootFields } of tables) {
      const owner = `table ${key} in source ${scope.source.name}`;
      for (const field of rootFields) owners.set(`${rootTypeOf(field)} ${field.name}`, owner);
    }
    for (const { shape, exposedAs, rootFields } of functions) {
      const owner = functionOwner(shape, scope.source.name);
      for (const { name } of rootFields) owners.set(`${exposedAs}_root ${name}`, owner);
    }
  }
  return owners;
}

/** @throws Failure when another object has the root field */
function claimRootFields({ name, definition: { type, kind } }: Action, taken: Map<string, string>): void {
  const roots =
    kind === 'asynchronous'
      ? ['query_root', 'mutation_root', 'subscription_root']
      : [type === 'query' ? 'query_root' : 'mutation_root'];
  for (const root of roots) {
    const first = taken.get(`${root} ${name}`);
    if (first !== undefined)
      throw new Failure(messages.rootFieldConflict({ root, field: name, first, second: `action ${name}` }));
  }
  for (const root of roots) taken.set(`${root} ${name}`, `action ${name}`);
}

function actionRoles(
  { permissions }: Action,
  inheritedRoles: readonly InheritedRole[],
  { diagnostics }: PhaseReport,
): readonly string[] {
  const names = permissions.flatMap(({ role, path }) => {
    if (role !== 'admin') return [role];
    diagnostics.push(at(path, messages.permissionForAdmin()));
    return [];
  });
  return inheritFunctionRoles([...new Set(names)].sort(), inheritedRoles);
}

function actionShape({ name, definition, comment }: Action, roles: readonly string[]): ActionShape {
  const { headers, ignored_client_headers: ignored } = definition;
  return {
    name,
    ...described(comment),
    type: definition.type,
    kind: definition.kind,
    arguments: fieldShapes(definition.arguments),
    output: definition.output_type,
    handler: definition.handler,
    ...(headers.length > 0 && { headers }),
    ...(definition.forward_client_headers && { forwardClientHeaders: true }),
    ...(ignored && { ignoredClientHeaders: ignored.map((header) => header.toLowerCase()) }),
    timeout: definition.timeout,
    ...(definition.request_transform && { requestTransform: definition.request_transform }),
    ...(definition.response_transform && { responseTransform: definition.response_transform }),
    roles,
  };
}

function described(description: string | undefined): { readonly description?: string } {
  return description ? { description } : {};
}

function fieldShapes(fields: readonly CustomField[]): Readonly<Record<string, CustomFieldShape>> {
  return Object.fromEntries(
    fields.map(({ name, type, description }) => [name, { type, ...described(description) }]),
  );
}

/** Every custom type, and the scalars of databases that they and the actions name. */
function typesShape(
  { input_objects, objects, scalars, enums }: CustomTypes,
  actions: readonly ActionShape[],
  kinds: TypeKinds,
): CustomTypesShape {
  const own = new Set([...input_objects, ...objects, ...scalars, ...enums].map(({ name }) => name));
  const named = [...input_objects, ...objects].flatMap(({ fields }) =>
    fields.map(({ type }) => baseType(type)),
  );
  for (const { arguments: args, output } of actions) {
    named.push(baseType(output), ...Object.values(args).map(({ type }) => baseType(type)));
  }
  const foreign = [...new Set(named)].filter(
    (name) => !own.has(name) && kinds.get(name) === 'scalar' && !BUILT_IN_SCALARS.has(name),
  );
  const postgres = foreign.flatMap((name) => {
    const key = nativeScalarKey(name);
    return key === undefined ? [] : [[name, key] as const];
  });
  // Types of extensions and of the databases themselves pass as they are, like declared scalars.
  const passing = foreign.filter((name) => nativeScalarKey(name) === undefined);
  return {
    ...record('scalars', [
      ...scalars.map(({ name, description }) => [name, described(description)] as const),
      ...passing.map((name) => [name, {}] as const),
    ]),
    ...record(
      'enums',
      enums.map(({ name, description, values }) => [
        name,
        {
          ...described(description),
          values: Object.fromEntries(
            values.map(({ value, description: text, is_deprecated }) => [
              value,
              { ...described(text), ...(is_deprecated && { deprecated: true as const }) },
            ]),
          ),
        },
      ]),
    ),
    ...record(
      'inputs',
      input_objects.map(({ name, description, fields }) => [
        name,
        { ...described(description), fields: fieldShapes(fields) },
      ]),
    ),
    ...record(
      'objects',
      objects.map((object): readonly [string, CustomObjectShape] => [object.name, objectShape(object)]),
    ),
    ...record('postgres', postgres),
  };
}

function objectShape({
  description,
  fields,
  relationships,
}: CustomTypes['objects'][number]): CustomObjectShape {
  return {
    ...described(description),
    fields: fieldShapes(fields),
    ...(relationships.length > 0 && {
      relationships: Object.fromEntries(
        relationships.map(({ name, type, source, remote_table, field_mapping }) => [
          name,
          { kind: type, source, table: keyOf(remote_table), columns: field_mapping },
        ]),
      ),
    }),
  };
}

/** One property with the entries by name, sorted; empty without entries. */
function record<Key extends string, Value>(
  key: Key,
  entries: readonly (readonly [name: string, value: Value])[],
): { readonly [Name in Key]?: Readonly<Record<string, Value>> } {
  if (entries.length === 0) return {};
  const sorted = entries.toSorted(([left], [right]) => (left < right ? -1 : 1));
  return { [key]: Object.fromEntries(sorted) } as {
    readonly [Name in Key]?: Readonly<Record<string, Value>>;
  };
}

function actionObject({ path, name, definition, comment }: Action): ReportedObject {
  return {
    path,
    type: 'action',
    name: `action ${name}`,
    definition: { name, definition: withoutPaths(definition), comment: comment ?? null },
    context: `in action "${name}"; `,
    offers: () => [lossOf.rootField(name)],
  };
}
