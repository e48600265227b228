/**
 * The types of a remote schema as a role sees them, made from the role's SDL on first use. Requests are planned against
 * these types only, so a request cannot ask for anything that the SDL leaves out.
 */
import {
  type ConstValueNode,
  type EnumTypeDefinitionNode,
  type FieldDefinitionNode,
  type InputObjectTypeDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  print as printAst,
  type TypeNode,
} from 'graphql';
import { lazy, remember } from '../remember.ts';
import { BOOLEAN, FLOAT, ID, INT, STRING, typename } from '../schema/shared-types.ts';
import {
  type AbstractType,
  type ArgumentDefinition,
  byName,
  described,
  type EnumType,
  type FieldDefinition,
  type InputFieldDefinition,
  type InputType,
  listOf,
  type NamedType,
  namedType,
  nonNull,
  type ObjectType,
  type ScalarType,
  type TypeReference,
} from '../schema/types.ts';
import type { Vocabulary } from '../vocabulary.ts';
import {
  deprecation,
  givenType,
  isOneOf,
  type RemoteDocument,
  type RootName,
  readRemoteDocument,
  specifiedBy,
} from './document.ts';
import { type RemoteNames, remoteNames } from './names.ts';
import { presetOf, remotePresetValue } from './preset.ts';
import type { RemoteSchemaShape } from './shapes.ts';
import { objectText, type RemoteFieldMeaning, type RemotePreset } from './text.ts';

/** A field, and its meaning on the remote schema. */
export interface RemoteField {
  readonly definition: FieldDefinition;
  readonly meaning: RemoteFieldMeaning;
}

export interface RemoteTypes {
  readonly names: RemoteNames;
  readonly document: RemoteDocument;
  /** Root fields by the names that clients use; the namespace is not applied. Empty where the role has no such root. */
  readonly root: (kind: RootName) => ReadonlyMap<string, RemoteField>;
  /** A field of an object type or interface, by the remote's names; fields of relationships are not among them. */
  readonly field: (type: string, name: string) => RemoteField | undefined;
  /** The type of the remote's name, as far as the role has it. */
  readonly type: (name: string) => NamedType | undefined;
  /** Whether a type is an object type, by the name that clients use. */
  readonly isObject: (type: string) => boolean;
}

/** The other server refuses a document with values that these do not take, and with it everything else that the document asks for. */
const SCALARS: Readonly<Record<string, ScalarType>> = {
  Boolean: BOOLEAN,
  Float: FLOAT,
  ID,
  Int: INT,
  String: STRING,
};

/** Fields that relationships add to an object type, by the remote's name of the type. */
export type JoinFields = (type: string) => readonly FieldDefinition[];

/** By text. A document is kept as long as a program uses it. */
const documents = new Map<string, WeakRef<RemoteDocument>>();

/** The document of a text: roles and programs that have the same text share it. */
function documentOf(sdl: string): RemoteDocument {
  const known = documents.get(sdl)?.deref();
  if (known) return known;
  const made = readRemoteDocument(sdl);
  documents.set(sdl, new WeakRef(made));
  for (const [text, reference] of documents) if (!reference.deref()) documents.delete(text);
  return made;
}

/**
 * @param sdl of the whole schema, or of a role's part
 * @param vocabulary of the presets in it
 */
export function createRemoteTypes(
  { customization }: RemoteSchemaShape,
  sdl: string,
  joinFields: JoinFields,
  vocabulary: Vocabulary,
): RemoteTypes {
  const document = documentOf(sdl);
  const { roots, types: definitions } = document;
  const names = remoteNames(customization, new Set(Object.values(roots)));
  const made = new Map<string, NamedType>();
  const ownTypename = (): FieldDefinition =>
    names.keepsTypes ? typename() : { ...typename(), meaning: { kind: 'typename', rename: names.type } };

  const named = (name: string): NamedType => remember(made, name, () => makeType(name));
  const reference = (type: TypeNode): TypeReference => {
    if (type.kind === Kind.NON_NULL_TYPE) return nonNull(reference(type.type) as NamedType);
    return type.kind === Kind.LIST_TYPE ? listOf(reference(type.type)) : named(type.name.value);
  };

  function makeType(name: string): NamedType {
    const definition = definitions.get(name);
    const head = { name: names.type(name), ...described(definition?.description?.value) };
    switch (definition?.kind) {
      case Kind.OBJECT_TYPE_DEFINITION:
        return {
          kind: 'object',
          ...head,
          abstract: lazy(() => abstractTypes(name)),
          fields: lazy(() =>
            byName([...fieldsOf(name, definition.fields), ...joinFields(name), ownTypename()]),
          ),
        };
      case Kind.INTERFACE_TYPE_DEFINITION:
        return {
          kind: 'interface',
          ...head,
          abstract: lazy(() => abstractTypes(name)),
          possible: lazy(() => possibleTypes(name)),
          fields: lazy(() => byName([...fieldsOf(name, definition.fields), ownTypename()])),
        };
      case Kind.UNION_TYPE_DEFINITION:
        return {
          kind: 'union',
          ...head,
          possible: lazy(() => possibleTypes(name)),
          fields: lazy(() => byName([ownTypename()])),
        };
      case Kind.ENUM_TYPE_DEFINITION:
        return enumType(head, definition);
      case Kind.INPUT_OBJECT_TYPE_DEFINITION:
        return inputType(head, definition);
      default:
        return {
          ...(Object.hasOwn(SCALARS, name) ? SCALARS[name]! : { kind: 'scalar', accepts: 'any' }),
          ...head,
          ...(definition && specifiedBy(definition)),
        } satisfies ScalarType;
    }
  }

  function abstractTypes(name: string): ReadonlyMap<string, AbstractType> {
    return byName((document.abstract.get(name) ?? []).map((each) => named(each) as AbstractType));
  }

  function possibleTypes(name: string): ReadonlyMap<string, ObjectType> {
    return byName((document.possible.get(name) ?? []).map((each) => named(each) as ObjectType));
  }

  function enumType(
    head: Pick<EnumType, 'name' | 'description'>,
    { values = [] }: EnumTypeDefinitionNode,
  ): EnumType {
    return {
      kind: 'enum',
      ...head,
      values: new Map(
        values.map((value) => [
          value.name.value,
          {
            value: value.name.value,
            ...described(value.description?.value),
            ...deprecation(value),
          },
        ]),
      ),
    };
  }

  function inputType(
    head: Pick<InputType, 'name' | 'description'>,
    definition: InputObjectTypeDefinitionNode,
  ): InputType {
    const { fields = [] } = definition;
    // Of a one-of input the client gives one field, so one that it cannot give is not there.
    const inputs = lazy(() =>
      isOneOf(definition) ? fields.filter((field) => presetOf(field) || !closedType(field.type, [])) : fields,
    );
    const split = lazy(() => splitInputs(inputs(), (field) => givenType(field, definition)));
    return {
      kind: 'input',
      ...head,
      ...(isOneOf(definition) && { isOneOf: true }),
      fields: lazy(() =>
        byName(
          split().open.map(
            (field): InputFieldDefinition => ({
              ...inputHead(field),
              meaning: { kind: 'remote', type: givenType(field, definition) },
            }),
          ),
        ),
      ),
      presets: () => split().presets,
    };
  }

  function inputHead(definition: InputValueDefinitionNode): ArgumentDefinition {
    const { name, description, type, defaultValue } = definition;
    return {
      name: name.value,
      ...described(description?.value),
      type: reference(type),
      ...(defaultValue ? { defaultValue: printAst(defaultValue) } : {}),
      ...deprecation(definition),
    };
  }

  /** The client's arguments, those that are always sent, and those that are sent if the client gives none. */
  function splitInputs(
    inputs: readonly InputValueDefinitionNode[],
    typeOf = ({ type }: InputValueDefinitionNode) => type,
  ) {
    const open: InputValueDefinitionNode[] = [];
    const presets: RemotePreset[] = [];
    for (const input of inputs) {
      const preset = remotePresetValue(input, typeOf(input), document, vocabulary);
      const closed = preset ? undefined : closedType(input.type, []);
      if (preset) presets.push(preset);
      else if (closed) presets.push({ name: input.name.value, value: objectText(closed.presets!()) });
      else open.push(input);
    }
    return { open, presets };
  }

  /** The input object of a place if all its fields are preset, so that a client cannot give it. */
  function closedType(type: TypeNode, within: readonly string[]): InputType | undefined {
    const inner = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
    if (inner.kind !== Kind.NAMED_TYPE || within.includes(inner.name.value)) return undefined;
    const definition = definitions.get(inner.name.value);
    if (definition?.kind !== Kind.INPUT_OBJECT_TYPE_DEFINITION) return undefined;
    const outer = [...within, inner.name.value];
    const isClosed = definition.fields?.every((field) => presetOf(field) ?? closedType(field.type, outer));
    return isClosed ? (named(inner.name.value) as InputType) : undefined;
  }

  /** Defaults that are objects, with the presets of their type in them. */
  function defaultsOf(inputs: readonly InputValueDefinitionNode[]): RemotePreset[] {
    return inputs.flatMap(({ name, type, defaultValue }) => {
      const target = namedType(reference(type));
      if (defaultValue?.kind !== Kind.OBJECT || target.kind !== 'input') return [];
      const presets = target.presets!();
      return presets.length > 0
        ? [{ name: name.value, value: defaultWith(defaultValue, target, presets) }]
        : [];
    });
  }

  function fieldsOf(type: string, fields: readonly FieldDefinitionNode[] = []): FieldDefinition[] {
    return fields.map((field) => fieldWithMeaning(type, field).definition);
  }

  function fieldWithMeaning(type: string, field: FieldDefinitionNode): RemoteField {
    const { head, meaning } = readField(type, field);
    return { definition: { ...head, meaning: { kind: 'remote', field: meaning } }, meaning };
  }

  function readField(
    type: string,
    field: FieldDefinitionNode,
  ): { readonly head: Omit<FieldDefinition, 'meaning'>; readonly meaning: RemoteFieldMeaning } {
    const { open, presets } = splitInputs(field.arguments ?? []);
    return {
      head: {
        name: names.field(type, field.name.value),
        ...described(field.description?.value),
        arguments: byName(open.map(inputHead)),
        type: reference(field.type),
        ...deprecation(field),
      },
      meaning: {
        name: field.name.value,
        arguments: new Map((field.arguments ?? []).map(({ name, type: argument }) => [name.value, argument])),
        presets,
        defaults: defaultsOf(open),
      },
    };
  }

  const rootFields = new Map<RootName, ReadonlyMap<string, RemoteField>>();
  return {
    names,
    document,
    root: (kind) =>
      remember(rootFields, kind, () => {
        const name = roots[kind];
        const definition = name === undefined ? undefined : definitions.get(name);
        if (definition?.kind !== Kind.OBJECT_TYPE_DEFINITION) return new Map();
        return new Map(
          (definition.fields ?? []).map((field) => {
            const read = fieldWithMeaning(name!, field);
            return [read.definition.name, read];
          }),
        );
      }),
    field: (type, name) => {
      const definition = definitions.get(type);
      const hasFields =
        definition?.kind === Kind.OBJECT_TYPE_DEFINITION ||
        definition?.kind === Kind.INTERFACE_TYPE_DEFINITION;
      const found = hasFields ? definition.fields?.find((field) => field.name.value === name) : undefined;
      return found && fieldWithMeaning(type, found);
    },
    type: (name) => (definitions.has(name) ? named(name) : undefined),
    isObject: (type) => definitions.get(names.originalType(type))?.kind === Kind.OBJECT_TYPE_DEFINITION,
  };
}

/** A default as the role may send it: the fields that it could give itself, and the presets. */
function defaultWith(
  value: Extract<ConstValueNode, { kind: Kind.OBJECT }>,
  type: InputType,
  presets: readonly RemotePreset[],
): RemotePreset['value'] {
  const open = type.fields();
  const kept = value.fields
    .filter(({ name }) => open.has(name.value))
    .map((field): RemotePreset => ({ name: field.name.value, value: [printAst(field.value)] }));
  return objectText([...kept, ...presets]);
}
