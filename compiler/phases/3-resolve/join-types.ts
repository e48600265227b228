/** Whether values of two types can be equal, as far as the types tell. */
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
