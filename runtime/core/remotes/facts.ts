/** Facts about remote schemas for ledgers, audits and the console: the fields, arguments, input fields and presets that a role has. */
import { type InputValueDefinitionNode, Kind, print as printAst } from 'graphql';
import { readRemoteDocument, type TypeDefinition } from './document.ts';
import { presetOf } from './preset.ts';

/** Something that a schema names. Two facts are the same if they have the same `text`. */
export interface RemoteFact {
  /** The role cannot give the argument or input field: the server sends a value. */
  readonly isPreset: boolean;
  /** `query field user preset id = …`. */
  readonly text: string;
}

/** One fact for everything that a schema names. @param schema the part of a role */
export function remoteFacts(schema: string): RemoteFact[] {
  const { types, roots } = readRemoteDocument(schema);
  const rootOf = new Map(Object.entries(roots).map(([root, type]) => [type, `${root} field`]));
  return [...types.values()].flatMap((type) => typeFacts(type, rootOf));
}

/** The facts for people, in their order. @param schema the part of a role */
export function remoteFactTexts(schema: string): string[] {
  return remoteFacts(schema).map(({ text }) => text);
}

function typeFacts(type: TypeDefinition, rootOf: ReadonlyMap<string, string>): RemoteFact[] {
  const own = type.name.value;
  switch (type.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION:
      return (type.fields ?? []).flatMap((field) => {
        const place = `${rootOf.get(own) ?? `type ${own} field`} ${field.name.value}`;
        return [
          granted(place),
          ...(field.arguments ?? []).map((argument) => inputFact(`${place} argument`, place, argument)),
        ];
      });
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return (type.fields ?? []).map((field) => inputFact(`input ${own} field`, `input ${own}`, field));
    case Kind.UNION_TYPE_DEFINITION:
      return (type.types ?? []).map((member) => granted(`union ${own} member ${member.name.value}`));
    case Kind.ENUM_TYPE_DEFINITION:
      return (type.values ?? []).map((value) => granted(`enum ${own} value ${value.name.value}`));
    case Kind.SCALAR_TYPE_DEFINITION:
      return [];
  }
}

function granted(text: string): RemoteFact {
  return { isPreset: false, text };
}

function inputFact(kind: string, place: string, input: InputValueDefinitionNode): RemoteFact {
  const preset = presetOf(input);
  if (!preset) return granted(`${kind} ${input.name.value}`);
  const given = (preset.arguments ?? []).map((argument) => printAst(argument)).join(', ');
  return { isPreset: true, text: `${place} preset ${input.name.value} = ${given.replace(/\s+/g, ' ')}` };
}
