/** `remote/<name>/relationships.graphql`: the document that each relationship sends to a remote schema, for readers. */

import { type FieldDefinitionNode, Kind, parse, print as printAst, type TypeNode } from 'graphql';
import { baseName, type RemoteDocument, readRemoteDocument } from '../../../runtime/core/remotes/document.ts';
import { presetOf } from '../../../runtime/core/remotes/preset.ts';
import type {
  RemoteArgument,
  RemoteArguments,
  RemoteRelationshipShape,
  RemoteSchemaShape,
} from '../../../runtime/core/remotes/shapes.ts';
import { jsonText } from '../../../runtime/core/types.ts';
import type { ProgramPlan } from '../../model/plan.ts';

type ToRemote = Extract<RemoteRelationshipShape, { to: 'remote' }>;

const HEAD = `# What relationships ask of the remote schema. In a request, all relationships to it of one level are one document: f0, f1 … for
# each different value, at most 250. Up to 20 values of built-in scalars are literals, all others variables. "Selected" is what
# the client selects.
`;

/** The text; undefined where no relationship leads to the remote schema. */
export function emitRemoteRelationships(remote: RemoteSchemaShape, plan: ProgramPlan): string | undefined {
  const found = [
    ...plan.sources.flatMap(({ shape: { name }, tables }) =>
      tables.flatMap(({ shape }) =>
        Object.entries(shape.remoteRelationships ?? {}).map(
          ([relationship, to]) =>
            [`table ${shape.schema}.${shape.name} in source ${name}: ${relationship}`, to] as const,
        ),
      ),
    ),
    ...(plan.remotes ?? []).flatMap(({ name, relationships = {} }) =>
      Object.entries(relationships).flatMap(([type, shapes]) =>
        Object.entries(shapes).map(
          ([relationship, to]) => [`type ${type} of remote schema ${name}: ${relationship}`, to] as const,
        ),
      ),
    ),
  ];
  const schema = readRemoteDocument(remote.schema);
  const roles = Object.entries(remote.roles).map(([role, sdl]) => [role, readRemoteDocument(sdl)] as const);
  const texts = found.flatMap(([place, to]) =>
    to.to === 'remote' && to.remote === remote.name
      ? [`# ${place}\n${notes(to, schema, roles)}${documentOf(to, schema)}`]
      : [],
  );
  return texts.length > 0 ? `${[HEAD, ...texts].join('\n')}\n` : undefined;
}

/** Definitions of the fields of a path, as far as they are known. */
function definitionsOf({ path }: ToRemote, { types, roots }: RemoteDocument): FieldDefinitionNode[] {
  const found: FieldDefinitionNode[] = [];
  let type = roots.query;
  for (const { field } of path) {
    const owner = type === undefined ? undefined : types.get(type);
    const isObject =
      owner?.kind === Kind.OBJECT_TYPE_DEFINITION || owner?.kind === Kind.INTERFACE_TYPE_DEFINITION;
    const definition = isObject ? owner.fields?.find(({ name }) => name.value === field) : undefined;
    if (!definition) return found;
    found.push(definition);
    type = baseName(definition.type);
  }
  return found;
}

function documentOf(to: ToRemote, schema: RemoteDocument): string {
  const definitions = definitionsOf(to, schema);
  const variables = new Map<string, string>();
  const fieldAt = (index: number): string => {
    const step = to.path[index];
    if (!step) return 'Selected';
    const types = new Map(
      (definitions[index]?.arguments ?? []).map((argument) => [argument.name.value, argument.type]),
    );
    const given = argumentTexts(step.arguments, types, schema, variables);
    const args = given.length > 0 ? `(${given.join(', ')})` : '';
    const last = index === to.path.length - 1;
    const result = definitions[index] && schema.types.get(baseName(definitions[index].type));
    const isLeaf =
      !result || result.kind === Kind.SCALAR_TYPE_DEFINITION || result.kind === Kind.ENUM_TYPE_DEFINITION;
    const below = last ? (isLeaf ? '' : '{ ...Selected }') : `{ ${fieldAt(index + 1)} }`;
    return `${step.field}${args} ${below}`;
  };
  const body = `f0: ${fieldAt(0)}`;
  const declared = [...variables].map(([name, type]) => `$${name}: ${type}`).join(', ');
  const text = `query ${declared === '' ? '' : `(${declared})`} { ${body} }`;
  return `${printAst(parse(text, { noLocation: true }))}\n`;
}

function argumentTexts(
  given: RemoteArguments,
  types: ReadonlyMap<string, TypeNode>,
  schema: RemoteDocument,
  variables: Map<string, string>,
): string[] {
  return Object.entries(given).map(
    ([name, value]) => `${name}: ${valueText(value, types.get(name), schema, variables)}`,
  );
}

function valueText(
  value: RemoteArgument,
  type: TypeNode | undefined,
  schema: RemoteDocument,
  variables: Map<string, string>,
): string {
  const inner = type?.kind === Kind.NON_NULL_TYPE ? type.type : type;
  if ('key' in value) {
    const name = value.key.replace(/\W/g, '_');
    const isList = inner?.kind === Kind.LIST_TYPE;
    const of = isList ? inner.type : type;
    // At several places the strictest type.
    if (!variables.get(name)?.endsWith('!')) variables.set(name, of ? printAst(of) : 'String');
    return isList ? `[$${name}]` : `$${name}`;
  }
  if ('value' in value) return jsonText(value.value);
  if ('items' in value) {
    const of = inner?.kind === Kind.LIST_TYPE ? inner.type : undefined;
    return `[${value.items.map((item) => valueText(item, of, schema, variables)).join(', ')}]`;
  }
  const definition = inner && schema.types.get(baseName(inner));
  const fields = definition?.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION ? (definition.fields ?? []) : [];
  const types = new Map(fields.map((field) => [field.name.value, field.type]));
  return `{${argumentTexts(value.fields, types, schema, variables).join(', ')}}`;
}

/** Arguments that the client may give, and what roles send beside them. */
function notes(
  to: ToRemote,
  schema: RemoteDocument,
  roles: readonly (readonly [string, RemoteDocument])[],
): string {
  const last = to.path.at(-1)!;
  const open = (definitionsOf(to, schema)[to.path.length - 1]?.arguments ?? [])
    .map(({ name }) => name.value)
    .filter((name) => !Object.hasOwn(last.arguments, name));
  const lines = open.length > 0 ? [`# The client may give: ${open.join(', ')}`] : [];
  for (const [role, document] of roles) {
    const presets = definitionsOf(to, document).flatMap((definition, index) =>
      (definition.arguments ?? []).flatMap((argument) => {
        const name = argument.name.value;
        const value = presetOf(argument)?.arguments?.find((each) => each.name.value === 'value')?.value;
        return value && !Object.hasOwn(to.path[index]!.arguments, name)
          ? [`${definition.name.value}(${name}: ${printAst(value)})`]
          : [];
      }),
    );
    if (presets.length > 0) lines.push(`# The role ${role} sends: ${presets.join(', ')}`);
  }
  return lines.map((line) => `${line}\n`).join('');
}
