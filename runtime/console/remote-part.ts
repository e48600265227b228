/** The part of a remote schema that a role sees: chosen field by field, printed as the SDL of a permission. */
import {
  type DefinitionNode,
  type FieldDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type OperationTypeNode,
  print,
} from 'graphql';
import {
  baseName,
  type RemoteDocument,
  type RootName,
  readRemoteDocument,
  type TypeDefinition,
  withoutDescriptions,
} from '../core/remotes/document.ts';
import type { RemotePartAnswer, RemotePartType } from './services-questions.ts';

type Fielded = ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode;
type Types = RemoteDocument['types'];
/** Name of the root type → operation. */
type Roots = ReadonlyMap<string, RootName>;

/**
 * @param sdl what the server has
 * @param permission SDL of the permission of the role, whose arguments and presets are kept
 * @param chosen fields as `Type.field`; those of the permission by default
 * @throws GraphQLError where a text is not GraphQL
 */
export function remotePart(
  sdl: string,
  permission: string | undefined,
  chosen: readonly string[] | undefined,
): Required<Pick<RemotePartAnswer, 'types' | 'chosen' | 'schema'>> {
  const { types: all, roots: rootNames } = readRemoteDocument(sdl);
  const own: Types = permission === undefined ? new Map() : readRemoteDocument(permission).types;
  const roots: Roots = new Map(
    Object.entries(rootNames).map(([operation, name]) => [name, operation as RootName]),
  );
  const wanted = new Set(chosen ?? fieldsOf(own));
  const reached = closure(all, own, roots, wanted);
  return {
    types: typesOf(all, roots),
    chosen: [...wanted].sort(),
    schema: printed(all, own, roots, wanted, reached),
  };
}

function isFielded(node: TypeDefinition | undefined): node is Fielded {
  return node?.kind === Kind.OBJECT_TYPE_DEFINITION || node?.kind === Kind.INTERFACE_TYPE_DEFINITION;
}

function fieldsOf(definitions: Types): string[] {
  return [...definitions.values()]
    .filter(isFielded)
    .flatMap(({ name, fields = [] }) => fields.map((field) => `${name.value}.${field.name.value}`));
}

function requiresArguments({ arguments: args = [] }: FieldDefinitionNode): boolean {
  return args.some(({ type, defaultValue }) => type.kind === Kind.NON_NULL_TYPE && !defaultValue);
}

/** Names of the types that the chosen fields lead to. A type without a chosen field gets its plain values, without which the field would be useless. */
function closure(all: Types, own: Types, roots: Roots, wanted: Set<string>): ReadonlySet<string> {
  const reached = new Set<string>();
  const reach = (name: string): void => {
    const node = all.get(name);
    if (!node || reached.has(name)) return;
    reached.add(name);
    if (node.kind === Kind.UNION_TYPE_DEFINITION)
      for (const member of written(own, all, name, node.kind)?.types ?? node.types ?? [])
        reach(member.name.value);
    if (node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION)
      for (const { type } of written(own, all, name, Kind.INPUT_OBJECT_TYPE_DEFINITION)?.fields ?? [])
        reach(baseName(type));
    if (!isFielded(node)) return;
    const fields = node.fields ?? [];
    const isChosen = ({ name: field }: FieldDefinitionNode) => wanted.has(`${name}.${field.value}`);
    if (!roots.has(name) && !fields.some(isChosen)) {
      const plain = fields.filter(
        (field) => !isFielded(all.get(baseName(field.type))) && !requiresArguments(field),
      );
      for (const field of plain.length > 0 ? plain : fields.slice(0, 1))
        wanted.add(`${name}.${field.name.value}`);
    }
    if (node.kind === Kind.INTERFACE_TYPE_DEFINITION)
      for (const other of all.values())
        if (isFielded(other) && other.interfaces?.some((each) => each.name.value === name)) {
          // A type of an interface has its fields.
          for (const field of fields.filter(isChosen)) wanted.add(`${other.name.value}.${field.name.value}`);
          reach(other.name.value);
        }
    for (const field of fields.filter(isChosen)) {
      const { type, arguments: args = [] } = fieldOf(own, name, field.name.value) ?? field;
      for (const each of [type, ...args.map((argument) => argument.type)]) reach(baseName(each));
    }
  };
  for (const root of roots.keys()) reach(root);
  return reached;
}

/** The definition as the permission has it, or else as the server has it. */
function written<NodeKind extends TypeDefinition['kind']>(
  own: Types,
  all: Types,
  name: string,
  kind: NodeKind,
): Extract<TypeDefinition, { kind: NodeKind }> | undefined {
  const node = [own.get(name), all.get(name)].find((each) => each?.kind === kind);
  return node as Extract<TypeDefinition, { kind: NodeKind }> | undefined;
}

function fieldOf(definitions: Types, owner: string, name: string): FieldDefinitionNode | undefined {
  const node = definitions.get(owner);
  return isFielded(node) ? node.fields?.find((field) => field.name.value === name) : undefined;
}

function printed(
  all: Types,
  own: Types,
  roots: Roots,
  wanted: ReadonlySet<string>,
  reached: ReadonlySet<string>,
): string {
  const kept = new Set<string>();
  const definitions = [...reached].flatMap((name): DefinitionNode[] => {
    const node = all.get(name)!;
    if (!isFielded(node)) {
      kept.add(name);
      return [written(own, all, name, node.kind)!];
    }
    const fields = (node.fields ?? [])
      .filter((field) => wanted.has(`${name}.${field.name.value}`))
      .map((field) => fieldOf(own, name, field.name.value) ?? field);
    if (fields.length === 0) return [];
    kept.add(name);
    const interfaces = node.interfaces?.filter((each) => reached.has(each.name.value)) ?? [];
    return [{ ...node, fields, interfaces }];
  });
  const operationTypes = [...roots].flatMap(([name, operation]) =>
    kept.has(name)
      ? [
          {
            kind: Kind.OPERATION_TYPE_DEFINITION,
            operation: operation as OperationTypeNode,
            type: named(name),
          } as const,
        ]
      : [],
  );
  const isUsual = operationTypes.every(({ operation, type }) => type.name.value.toLowerCase() === operation);
  const schema: DefinitionNode[] =
    isUsual || operationTypes.length === 0 ? [] : [{ kind: Kind.SCHEMA_DEFINITION, operationTypes }];
  // Roles see the descriptions that the server has.
  return [...schema, ...definitions].map((node) => print(withoutDescriptions(node))).join('\n\n');
}

function named(name: string) {
  return { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: name } } as const;
}

function typesOf(all: Types, roots: Roots): RemotePartType[] {
  const types = [...all.values()].filter(isFielded).map(
    ({ name, kind, fields = [] }): RemotePartType => ({
      name: name.value,
      kind: roots.get(name.value) ?? (kind === Kind.INTERFACE_TYPE_DEFINITION ? 'interface' : 'object'),
      fields: fields.map((field) => ({ name: field.name.value, type: print(field.type) })),
    }),
  );
  // Root types first: that is where one begins.
  return types.sort((left, right) => Number(roots.has(right.name)) - Number(roots.has(left.name)));
}
