/** Checks a preset: its arguments, and that its value fits the type of the place. */
import {
  type ConstDirectiveNode,
  type ConstValueNode,
  type InputValueDefinitionNode,
  Kind,
  print as printAst,
  type TypeNode,
} from 'graphql';
import { isStatic } from '../../../runtime/core/remotes/preset.ts';
import type { RoleDocument } from './remote-permission.ts';

export function presetProblems(
  directive: ConstDirectiveNode,
  { name, type }: InputValueDefinitionNode,
  role: RoleDocument,
): string[] {
  const given = directive.arguments ?? [];
  if (given.length === 0) return ['no arguments found in the preset directive'];
  const value = given.find((argument) => argument.name.value === 'value')?.value;
  if (!value) return [`preset argument "value" not found at "${name.value}"`];
  const literal = given.find((argument) => argument.name.value === 'static')?.value;
  if (literal && literal.kind !== Kind.BOOLEAN) return ['expected preset static value to be a Boolean value'];
  return valueProblems(value, type, name.value, isStatic(directive), role);
}

function valueProblems(
  value: ConstValueNode,
  type: TypeNode,
  place: string,
  isLiteral: boolean,
  role: RoleDocument,
): string[] {
  const { vocabulary } = role;
  const inner = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
  if (value.kind === Kind.STRING && !isLiteral && vocabulary.isForeign(value.value))
    return [
      `preset value "${value.value}" at "${place}" is a session variable of another vocabulary; this one's begin with "${vocabulary.prefix}"`,
    ];
  const isSession =
    value.kind === Kind.STRING && !isLiteral && vocabulary.toCanonical(value.value) !== undefined;
  if (inner.kind === Kind.LIST_TYPE) {
    if (isSession)
      return [`illegal preset value at "${place}". Session arguments can only be set for singleton values`];
    const items = value.kind === Kind.LIST ? value.values : [value];
    return items.flatMap((item) => valueProblems(item, inner.type, place, isLiteral, role));
  }
  if (value.kind === Kind.NULL) {
    return type.kind === Kind.NON_NULL_TYPE
      ? [`expected preset value "null" of type "${printAst(type)}" to be a scalar value`]
      : [];
  }
  const { value: name } = inner.name;
  const definition = role.types.get(name);
  const expected = (what: string) => [
    `expected preset value "${printAst(value).replace(/^"|"$/g, '')}" of type "${name}" to be ${what}`,
  ];
  switch (definition?.kind) {
    case Kind.INPUT_OBJECT_TYPE_DEFINITION: {
      if (value.kind !== Kind.OBJECT) return expected('an input object value');
      return value.fields.flatMap((field) => {
        const known = definition.fields?.find((each) => each.name.value === field.name.value);
        return known
          ? valueProblems(field.value, known.type, field.name.value, isLiteral, role)
          : [`"${field.name.value}" does not exist in the input object "${name}"`];
      });
    }
    case Kind.ENUM_TYPE_DEFINITION: {
      if (isSession) return [];
      if (value.kind !== Kind.ENUM && value.kind !== Kind.STRING) return expected('an enum value');
      return definition.values?.some((each) => each.name.value === value.value)
        ? []
        : [`"${value.value}" not found in the enum: "${name}"`];
    }
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION:
    case Kind.UNION_TYPE_DEFINITION:
      return [`expected "${name}" to be an input type, but it's an output type`];
    default:
      if (isSession) return [];
      return fitsScalar(name, value) ? [] : expected('a scalar value');
  }
}

function fitsScalar(name: string, { kind }: ConstValueNode): boolean {
  switch (name) {
    case 'Int':
      return kind === Kind.INT;
    case 'Float':
      return kind === Kind.INT || kind === Kind.FLOAT;
    case 'String':
      return kind === Kind.STRING;
    case 'Boolean':
      return kind === Kind.BOOLEAN;
    case 'ID':
      return kind === Kind.STRING || kind === Kind.INT;
    default:
      // Only the remote schema knows the values of its own scalars.
      return kind !== Kind.ENUM;
  }
}
