/** A request for a root field as its verdict is judged: every column of its rows, nothing nested, required arguments only. */
import {
  type ArgumentDefinition,
  type FieldDefinition,
  type InputFieldDefinition,
  namedType,
  type TypeReference,
} from '../schema/types.ts';

/** The text of an operation. @param path names of namespaces that lead to the field */
export function sampleOperation(
  kind: 'query' | 'mutation',
  field: FieldDefinition,
  path: readonly string[],
): string {
  const inner = path.reduceRight((text, name) => `${name} { ${text} }`, fieldText(field));
  return `${kind} { ${inner} }`;
}

function fieldText(field: FieldDefinition): string {
  const given = [...field.arguments.values()].filter(isNeeded);
  const args = given.map((argument) => `${argument.name}: ${valueText(argument.type, argument.name)}`);
  const selection = selectionText(field.type);
  return `${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${selection && ` { ${selection} }`}`;
}

/** Required ones, and the changes of an update, without which nothing would be written. */
function isNeeded({ name, type, defaultValue }: ArgumentDefinition): boolean {
  return (type.kind === 'nonNull' && defaultValue === undefined) || name === '_set';
}

const BELOW = new Set(['aggregate', 'affectedRows', 'count']);

function selectionText(type: TypeReference): string {
  const named = namedType(type);
  if (named.kind !== 'object') return '';
  const fields = [...named.fields().values()];
  const isPlain = ({ arguments: args }: FieldDefinition) => ![...args.values()].some(isNeeded);
  const columns = fields.filter((field) => field.meaning.kind === 'column' && isPlain(field));
  const others = fields.filter(({ meaning }) => BELOW.has(meaning.kind));
  const chosen = columns.length > 0 ? columns : others;
  return chosen.length > 0 ? chosen.map(fieldText).join(' ') : '__typename';
}

/** A literal of a type. Of inputs with columns, every column that no relationship gives. */
function valueText(type: TypeReference, name: string): string {
  if (type.kind === 'nonNull') return valueText(type.of, name);
  if (type.kind === 'list') return `[${valueText(type.of, name)}]`;
  if (type.kind === 'enum') return [...type.values.keys()][0]!;
  if (type.kind === 'scalar') return type.name === 'Boolean' ? 'true' : type.name === 'String' ? '"1"' : '1';
  if (type.kind !== 'input') return 'null';
  const fields = [...type.fields().values()].filter((field) => isGiven(field, name));
  return `{${fields.map((field) => `${field.name}: ${valueText(field.type, field.name)}`).join(', ')}}`;
}

function isGiven({ name, type, defaultValue, meaning }: InputFieldDefinition, within: string): boolean {
  if (type.kind === 'nonNull' && defaultValue === undefined) return true;
  // Also that of each item of `update_…_many`.
  if (name === '_set') return true;
  return meaning.kind === 'functionArgument' || (meaning.kind === 'column' && within !== 'where');
}
