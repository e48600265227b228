/**
 * Presets that a client can avoid: they belong to an input object, and are sent with that object only. Where the object may be null or left
 * out, the remote schema gets no preset at all.
 */
import { type InputValueDefinitionNode, Kind, type TypeNode } from 'graphql';
import { parseGraphql } from '../../../runtime/core/graphql-text.ts';
import { baseName, indexDocument, type RemoteDocument } from '../../../runtime/core/remotes/document.ts';
import { presetOf } from '../../../runtime/core/remotes/preset.ts';

/** An input that a role may leave out, with the presets that are not sent then. */
export interface SkippedPresets {
  /** `Query.orders(filter:)` or `Filter.inner` */
  readonly place: string;
  /** `Filter.owner` */
  readonly presets: readonly string[];
}

/** Inputs of a role's SDL, without errors, whose presets a client can avoid. */
export function skippedPresets(sdl: string): SkippedPresets[] {
  const role = indexDocument(parseGraphql(sdl));
  const found: SkippedPresets[] = [];
  const look = (place: string, input: InputValueDefinitionNode) => {
    if (presetOf(input) || !mayBeNull(input.type)) return;
    const presets = presetsWithin(input.type, role);
    if (presets.length > 0) found.push({ place, presets });
  };
  for (const [name, type] of role.types) {
    if (type.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION)
      for (const field of type.fields ?? []) look(`${name}.${field.name.value}`, field);
    else if (type.kind === Kind.OBJECT_TYPE_DEFINITION || type.kind === Kind.INTERFACE_TYPE_DEFINITION)
      for (const field of type.fields ?? [])
        for (const argument of field.arguments ?? [])
          look(`${name}.${field.name.value}(${argument.name.value}:)`, argument);
  }
  return found;
}

/** Whether null is a value at some level of a type. */
function mayBeNull(type: TypeNode): boolean {
  if (type.kind !== Kind.NON_NULL_TYPE) return true;
  return type.type.kind === Kind.LIST_TYPE && mayBeNull(type.type.type);
}

/** Presets that an input of a type always brings: its own, and those of inputs that it must have. The others are found where they may be left out. */
function presetsWithin(type: TypeNode, role: RemoteDocument, above: readonly string[] = []): string[] {
  const name = baseName(type);
  const definition = role.types.get(name);
  if (definition?.kind !== Kind.INPUT_OBJECT_TYPE_DEFINITION || above.includes(name)) return [];
  return (definition.fields ?? []).flatMap((field) => {
    if (presetOf(field)) return [`${name}.${field.name.value}`];
    return mayBeNull(field.type) ? [] : presetsWithin(field.type, role, [...above, name]);
  });
}
