/** Checks a remote schema by the rules of GraphQL for interfaces, unions and references. */

import {
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  print as printAst,
  type TypeNode,
} from 'graphql';
import { BUILT_IN_SCALARS } from '../../../runtime/core/names.ts';
import {
  baseName,
  type RemoteDocument,
  type TypeDefinition,
} from '../../../runtime/core/remotes/document.ts';

export function upstreamProblems({ types, roots, possible }: RemoteDocument): string[] {
  const problems: string[] = [];
  const require = (name: string) => {
    if (!types.has(name) && !BUILT_IN_SCALARS.has(name))
      problems.push(`Could not find type with name "${name}"`);
  };
  for (const root of Object.values(roots)) require(root);
  for (const type of types.values()) {
    for (const reference of referencesOf(type)) require(reference);
    if (type.kind === Kind.UNION_TYPE_DEFINITION)
      problems.push(...unionProblems(type.name.value, type.types, types));
    else if (type.kind === Kind.OBJECT_TYPE_DEFINITION)
      problems.push(...implementationProblems(type, types, possible));
    else if (type.kind === Kind.INTERFACE_TYPE_DEFINITION && !type.fields?.length)
      problems.push(`List of fields cannot be empty for interface '${type.name.value}'`);
  }
  return problems;
}

function referencesOf(type: TypeDefinition): string[] {
  switch (type.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION:
      return (type.fields ?? []).flatMap((field) => [
        baseName(field.type),
        ...(field.arguments ?? []).map((argument) => baseName(argument.type)),
      ]);
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return (type.fields ?? []).map((field) => baseName(field.type));
    default:
      return [];
  }
}

function unionProblems(
  name: string,
  members: readonly { readonly name: { readonly value: string } }[] = [],
  types: RemoteDocument['types'],
): string[] {
  if (members.length === 0) return [`List of member types cannot be empty for union type '${name}'`];
  return members.flatMap((member) => {
    const type = types.get(member.name.value);
    if (!type)
      return [
        `Could not find type '${member.name.value}', which is defined as a member type of Union '${name}'`,
      ];
    return type.kind === Kind.OBJECT_TYPE_DEFINITION
      ? []
      : [`Union type '${name}' can only include object types. It cannot include '${member.name.value}'`];
  });
}

function implementationProblems(
  object: ObjectTypeDefinitionNode,
  types: RemoteDocument['types'],
  possible: RemoteDocument['possible'],
): string[] {
  const own = object.name.value;
  return (object.interfaces ?? []).flatMap(({ name }) => {
    const whole = types.get(name.value);
    if (whole?.kind !== Kind.INTERFACE_TYPE_DEFINITION)
      return [`Could not find interface '${name.value}' implemented by Object type '${own}'`];
    return (whole.fields ?? []).flatMap((field) =>
      fieldProblems(object, whole, field, (narrow, wide) => isSubtype(narrow, wide, types, possible)),
    );
  });
}

function fieldProblems(
  object: ObjectTypeDefinitionNode,
  whole: InterfaceTypeDefinitionNode,
  field: FieldDefinitionNode,
  isPart: (narrow: TypeNode, wide: TypeNode) => boolean,
): string[] {
  const [own, name] = [object.name.value, field.name.value];
  const place = `'${whole.name.value}'."${name}"`;
  const found = object.fields?.find((each) => each.name.value === name);
  if (!found) return [`Interface field ${place} expected, but '${own}' does not provide it`];
  const problems: string[] = [];
  if (!isPart(found.type, field.type))
    problems.push(
      `The type of Object field '${own}'."${name}" (${printAst(found.type)}) is not the same type/sub type of Interface field ${place} (${printAst(field.type)})`,
    );
  for (const argument of field.arguments ?? []) {
    const given = argumentOf(found, argument.name.value);
    const at = `Interface field argument ${place}("${argument.name.value}":)`;
    if (!given) problems.push(`${at} required, but Object field '${own}'."${name}" does not provide it`);
    else if (printAst(given.type) !== printAst(argument.type))
      problems.push(
        `${at} expects type ${printAst(argument.type)}, but '${own}'."${name}"("${argument.name.value}":) has type ${printAst(given.type)}`,
      );
  }
  for (const argument of found.arguments ?? []) {
    if (argumentOf(field, argument.name.value) || !isRequired(argument)) continue;
    problems.push(
      `Object field argument '${own}'."${name}"("${argument.name.value}":) is of required type ${printAst(argument.type)}, but is not provided by Interface field ${place}`,
    );
  }
  return problems;
}

function argumentOf(field: FieldDefinitionNode, name: string): InputValueDefinitionNode | undefined {
  return field.arguments?.find((each) => each.name.value === name);
}

function isRequired({ type, defaultValue }: InputValueDefinitionNode): boolean {
  return type.kind === Kind.NON_NULL_TYPE && !defaultValue;
}

/** Whether every value of one output type is a value of the other. */
function isSubtype(
  narrow: TypeNode,
  wide: TypeNode,
  types: RemoteDocument['types'],
  possible: RemoteDocument['possible'],
): boolean {
  if (narrow.kind === Kind.NON_NULL_TYPE)
    return isSubtype(narrow.type, wide.kind === Kind.NON_NULL_TYPE ? wide.type : wide, types, possible);
  if (wide.kind === Kind.NON_NULL_TYPE) return false;
  if (narrow.kind === Kind.LIST_TYPE)
    return wide.kind === Kind.LIST_TYPE && isSubtype(narrow.type, wide.type, types, possible);
  if (wide.kind === Kind.LIST_TYPE) return false;
  const [part, whole] = [narrow.name.value, wide.name.value];
  if (part === whole || possible.get(whole)?.includes(part)) return true;
  const type = types.get(part);
  return (
    type?.kind === Kind.INTERFACE_TYPE_DEFINITION &&
    (type.interfaces ?? []).some(({ name }) => name.value === whole)
  );
}
