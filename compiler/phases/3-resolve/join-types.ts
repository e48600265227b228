/**
 * Whether values of two types can be equal, as far as the types tell.
 * @rule Which values can a join find equal?
 */
import { Kind, type TypeNode } from 'graphql';
import type { SourceShape } from '../../../runtime/core/contract/shapes.ts';
import type { RemoteDocument } from '../../../runtime/core/remotes/document.ts';
import type { ColumnType } from '../../../runtime/core/types.ts';

/** A type of a joining field. `any`: nothing is known of its values, or they are texts. */
export interface JoinType {
  readonly kind: 'number' | 'boolean' | 'uuid' | 'date' | 'list' | 'any';
  /** As messages name it. */
  readonly name: string;
  /** The type of a list's items. */
  readonly items?: JoinType;
}

export function ofColumn(type: ColumnType): JoinType {
  const { family, key, sql, native, element } = type;
  const name = key.includes('.') ? key : sql;
  if (element) return { kind: 'list', name, items: ofColumn(element) };
  if (native) return { kind: 'any', name };
  switch (family) {
    case 'integer':
    case 'float':
      return { kind: 'number', name };
    case 'boolean':
    case 'uuid':
    case 'date':
      return { kind: family, name };
    default:
      return { kind: 'any', name };
  }
}

/** A scalar of a remote schema. IDs, strings, enums and scalars of its own take every text. */
export function ofScalar(name: string): JoinType {
  if (name === 'Int' || name === 'Float') return { kind: 'number', name };
  return { kind: name === 'Boolean' ? 'boolean' : 'any', name };
}

export function canBeEqual(left: JoinType, right: JoinType): boolean {
  return left.kind === right.kind || left.kind === 'any' || right.kind === 'any';
}

/** Whether values of a field can be values of an argument, as far as the types tell. */
export function canFill(
  field: JoinType,
  argument: TypeNode,
  { types }: Pick<RemoteDocument, 'types'>,
): boolean {
  if (argument.kind === Kind.NON_NULL_TYPE) return canFill(field, argument.type, { types });
  // A value that is no list is sent as one item.
  if (argument.kind === Kind.LIST_TYPE) return canFill(field.items ?? field, argument.type, { types });
  const name = argument.name.value;
  if (field.kind !== 'list') return canBeEqual(field, ofScalar(name));
  return name === 'String' || types.get(name)?.kind === Kind.SCALAR_TYPE_DEFINITION;
}

/**
 * Whether a join can look for values of a column's type. Not for those without equality, nor for arrays and composite types: a
 * list of them, with which all values are looked up at once, is taken apart further than into values.
 */
export function canBeLookedUp(source: SourceShape, key: string): boolean {
  const declared = source.types[key];
  if (declared?.kind === 'domain') return canBeLookedUp(source, declared.base);
  if (declared?.kind === 'composite' || declared?.kind === 'row') return false;
  return !/\[\]$|^(?:json|xml|point)$/.test(key);
}
