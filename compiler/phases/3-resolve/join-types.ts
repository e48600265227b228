/** Whether values of two types can be equal, as far as the types tell. */
import type { SourceShape } from '../../../runtime/core/shapes.ts';
import type { ColumnType } from '../../../runtime/core/types.ts';

/** A type of a joining field. `any`: nothing is known of its values, or they are texts. */
export interface JoinType {
  readonly kind: 'number' | 'boolean' | 'uuid' | 'date' | 'any';
  /** As messages name it. */
  readonly name: string;
}

export function ofColumn({ family, key, sql, native }: ColumnType): JoinType {
  const name = key.includes('.') ? key : sql;
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
