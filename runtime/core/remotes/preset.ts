/** `@preset(value: …, static: true)` on arguments and input fields of a role's SDL. */
import {
  type ConstDirectiveNode,
  type ConstValueNode,
  type InputValueDefinitionNode,
  Kind,
  print as printAst,
  type TypeNode,
} from 'graphql';
import type { Vocabulary } from '../vocabulary.ts';
import { givenType, type RemoteDocument } from './document.ts';
import type { RemotePreset, RemoteText, SessionCoercion } from './text.ts';

const PRESET = 'preset';

/** The preset of an argument or input field. */
export function presetOf(definition: InputValueDefinitionNode): ConstDirectiveNode | undefined {
  return definition.directives?.find(({ name }) => name.value === PRESET);
}

export function isStatic(directive: ConstDirectiveNode): boolean {
  const value = directive.arguments?.find(({ name }) => name.value === 'static')?.value;
  return value?.kind === Kind.BOOLEAN && value.value;
}

/**
 * The value that is sent for a definition with a preset; undefined for one without.
 * @param type of the values that the definition is given
 */
export function remotePresetValue(
  definition: InputValueDefinitionNode,
  type: TypeNode,
  document: RemoteDocument,
  vocabulary: Vocabulary,
): RemotePreset | undefined {
  const directive = presetOf(definition);
  const value = directive?.arguments?.find(({ name }) => name.value === 'value')?.value;
  if (!directive || !value) return undefined;
  return {
    name: definition.name.value,
    value: presetText(value, type, document, isStatic(directive) ? undefined : vocabulary),
  };
}

/** @param vocabulary texts may name session variables of it */
function presetText(
  value: ConstValueNode,
  type: TypeNode,
  document: RemoteDocument,
  vocabulary: Vocabulary | undefined,
): RemoteText {
  const named = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
  const definition = named.kind === Kind.NAMED_TYPE ? document.types.get(named.name.value) : undefined;
  if (value.kind === Kind.OBJECT && definition?.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION) {
    const fields = new Map(
      definition.fields?.map((field) => [field.name.value, givenType(field, definition)]),
    );
    const members = value.fields.flatMap((field, index): RemoteText => {
      const fieldType = fields.get(field.name.value) ?? type;
      return [
        `${index > 0 ? ', ' : ''}${field.name.value}: `,
        ...presetText(field.value, fieldType, document, vocabulary),
      ];
    });
    return ['{', ...members, '}'];
  }
  if (value.kind !== Kind.STRING) return [printAst(value)];
  const name = vocabulary?.toCanonical(value.value);
  if (name !== undefined)
    return [
      {
        type: printAst(type),
        source: { from: 'session', name },
        coerce: coercionOf(named, definition),
      },
    ];
  // An enum's value may be written as a string.
  if (definition?.kind === Kind.ENUM_TYPE_DEFINITION) return [value.value];
  return [printAst(value)];
}

function coercionOf(type: TypeNode, definition: ReturnType<RemoteDocument['types']['get']>): SessionCoercion {
  if (definition?.kind === Kind.ENUM_TYPE_DEFINITION)
    return { enum: (definition.values ?? []).map(({ name }) => name.value) };
  const name = type.kind === Kind.NAMED_TYPE ? type.name.value : '';
  return name === 'Int' || name === 'Float' || name === 'Boolean' ? name : 'String';
}
