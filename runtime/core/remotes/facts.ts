/** Facts about remote schemas for ledgers, audits and the console: the fields, arguments, input fields and presets that a role has. */
import { type InputValueDefinitionNode, Kind, print as printAst } from 'graphql';
import { readRemoteDocument, type TypeDefinition } from './document.ts';
import { presetOf } from './preset.ts';

/** One fact for everything that a schema names. @param schema the part of a role */
export function remoteFacts(schema: string): string[] {
  const { types, roots } = readRemoteDocument(schema);
  const rootOf = new Map(Object.entries(roots).map(([root, type]) => [type, `${root} field`]));
  return [...types.values()].flatMap((type) => typeFacts(type, rootOf));
}

function typeFacts(type: TypeDefinition, rootOf: ReadonlyMap<string, string>): string[] {
  const own = type.name.value;
  switch (type.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION:
      return (type.fields ?? []).flatMap((field) => {
        const place = `${rootOf.get(own) ?? `type ${own} field`} ${field.name.value}`;
        return [
          place,
          ...(field.arguments ?? []).map((argument) => `${place} ${inputFact('argument', argument)}`),
        ];
      });
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return (type.fields ?? []).map((field) => `input ${own} ${inputFact('field', field)}`);
    case Kind.UNION_TYPE_DEFINITION:
      return (type.types ?? []).map((member) => `union ${own} member ${member.name.value}`);
    case Kind.ENUM_TYPE_DEFINITION:
      return (type.values ?? []).map((value) => `enum ${own} value ${value.name.value}`);
    case Kind.SCALAR_TYPE_DEFINITION:
      return [];
  }
}

function inputFact(kind: string, input: InputValueDefinitionNode): string {
  const preset = presetOf(input);
  if (!preset) return `${kind} ${input.name.value}`;
  const given = (preset.arguments ?? []).map((argument) => printAst(argument)).join(', ');
  return `preset ${input.name.value} = ${given.replace(/\s+/g, ' ')}`;
}
