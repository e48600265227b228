/** Facts about remote schemas for ledgers, audits and the console: the fields, arguments, input fields and presets that a role has. */
import { type InputValueDefinitionNode, Kind, print as printAst } from 'graphql';
import { readRemoteDocument, type TypeDefinition } from './document.ts';
import { presetOf } from './preset.ts';

/** Something that a schema names. Two facts are the same if their data is. */
export interface RemoteFact {
  readonly kind: 'field' | 'argument' | 'input field' | 'union member' | 'enum value';
  /** The type, as the remote schema names it; of a root type what it is the root of. */
  readonly of: { readonly root: string } | { readonly type: string };
  readonly name: string;
  /** Of an argument: its field. */
  readonly field?: string;
  /** The value that the server sends: the role cannot give the argument or input field. */
  readonly preset?: string;
}

/** One fact for everything that a schema names. @param schema the part of a role */
export function remoteFacts(schema: string): RemoteFact[] {
  const { types, roots } = readRemoteDocument(schema);
  const rootOf = new Map(Object.entries(roots).map(([root, type]) => [type, root]));
  return [...types.values()].flatMap((type) => typeFacts(type, rootOf.get(type.name.value)));
}

/** The facts for people, in their order. @param schema the part of a role */
export function remoteFactTexts(schema: string): string[] {
  return remoteFacts(schema).map(remoteFactText);
}

/** `query field user preset id = …`. */
export function remoteFactText({ kind, of, name, field, preset }: RemoteFact): string {
  const owner = 'root' in of ? `${of.root} field` : `type ${of.type} field`;
  const type = 'type' in of ? of.type : of.root;
  const sent = preset === undefined ? '' : `preset ${name} = ${preset}`;
  switch (kind) {
    case 'field':
      return `${owner} ${name}`;
    case 'argument':
      return `${owner} ${field} ${sent || `argument ${name}`}`;
    case 'input field':
      return `input ${type} ${sent || `field ${name}`}`;
    case 'union member':
      return `union ${type} member ${name}`;
    case 'enum value':
      return `enum ${type} value ${name}`;
  }
}

function typeFacts(type: TypeDefinition, root: string | undefined): RemoteFact[] {
  const of = root === undefined ? { type: type.name.value } : { root };
  switch (type.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION:
      return (type.fields ?? []).flatMap(({ name: { value: field }, arguments: args = [] }) => [
        { kind: 'field' as const, of, name: field },
        ...args.map((argument) => ({ kind: 'argument' as const, of, field, ...inputOf(argument) })),
      ]);
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return (type.fields ?? []).map((field) => ({ kind: 'input field', of, ...inputOf(field) }));
    case Kind.UNION_TYPE_DEFINITION:
      return (type.types ?? []).map(({ name }) => ({ kind: 'union member', of, name: name.value }));
    case Kind.ENUM_TYPE_DEFINITION:
      return (type.values ?? []).map(({ name }) => ({ kind: 'enum value', of, name: name.value }));
    case Kind.SCALAR_TYPE_DEFINITION:
      return [];
  }
}

function inputOf(input: InputValueDefinitionNode): Pick<RemoteFact, 'name' | 'preset'> {
  const name = input.name.value;
  const preset = presetOf(input);
  if (!preset) return { name };
  const given = (preset.arguments ?? []).map((argument) => printAst(argument)).join(', ');
  return { name, preset: given.replace(/\s+/g, ' ') };
}
