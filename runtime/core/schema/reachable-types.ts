/** Types that do not belong to a table, as claims of names are compared: which a column needs, and when two of one name are one. */
import { specifiedScalarTypes } from 'graphql';
import type { SourceShape } from '../contract/shapes.ts';
import type { ColumnType } from '../types.ts';
import { scalarOf, sharedTypes } from './shared-types.ts';
import { type NamedType, namedType, printType, type ScalarType } from './types.ts';

/** Every type that a column or argument of a type brings along: its scalar, its comparison, and what that refers to. */
export function typesOfColumn(source: SourceShape, type: ColumnType): Iterable<NamedType> {
  return reachable([scalarOf(type), sharedTypes(source).comparisonOf(type)]);
}

/** Types that every source brings along, whatever its tables are. */
export function typesOfSource(source: SourceShape): readonly NamedType[] {
  const { orderBy, cursorOrdering } = sharedTypes(source);
  return [orderBy, cursorOrdering];
}

function reachable(start: readonly NamedType[]): Iterable<NamedType> {
  const found = new Set(start);
  for (const type of found) {
    if (type.kind !== 'input') continue;
    for (const field of type.fields().values()) found.add(namedType(field.type));
  }
  return found;
}

/** A text that is equal for types that are the same to a client. Scalars are opaque, but for those of GraphQL itself. */
export function clientFormOf(type: NamedType): string {
  switch (type.kind) {
    case 'scalar':
      return specifiedScalarTypes.some(({ name }) => name === type.name)
        ? `scalar ${standardKind(type)}`
        : 'scalar';
    case 'enum':
      return `enum ${[...type.values.keys()].sort().join()}`;
    default:
      return `${type.kind} ${[...type.fields().values()]
        .map((field) => `${field.name}: ${printType(field.type)}`)
        .sort()
        .join()}`;
  }
}

/** Which scalar of GraphQL a scalar is by its values; types of a database may be called like one without being one. */
function standardKind({ accepts }: ScalarType): string {
  if (typeof accepts === 'string') return KINDS[accepts] ?? accepts;
  // A domain over an array has the scalar of its elements.
  let type = accepts;
  while (type.element) type = type.element;
  return KINDS[type.family] ?? type.family;
}

const KINDS: Readonly<Record<string, string>> = {
  integer: 'Int',
  count: 'Int',
  offset: 'Int',
  float: 'Float',
  text: 'String',
  string: 'String',
  cursor: 'String',
  boolean: 'Boolean',
  id: 'ID',
  node: 'ID',
};
