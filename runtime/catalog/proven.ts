/**
 * What a catalog proves about rows: at most one has these values, this value is never null, the row that is referred to is there.
 * Everything that leaves out a rule, joins instead of looking up, or tells clients that a value is there asks here, and
 * nothing else concludes such a fact from a constraint.
 *
 * A fact holds for every statement of a transaction and for every row that a scan of the relation shows. Not known here, and so
 * believed: that nobody loads rows as `session_replication_role = replica`, and that the catalog is the one of the database.
 * @rule What does a catalog prove: at most one row, never null, always there?
 */
import { areOfOneEquality } from '../core/condition/branch.ts';
import type {
  Catalog,
  CatalogForeignKey,
  CatalogKey,
  CatalogTable,
  CatalogType,
  CatalogTypeReference,
} from './catalog.ts';
import { typeKey } from './type-shapes.ts';

/** Whether a fact holds, and why: a clause for "…, because …". */
export interface ProvenFact {
  readonly holds: boolean;
  readonly because: string;
}

/** Keys of a table: the primary key first, then unique constraints and unique indexes of columns of all rows. */
export function keysOf(table: CatalogTable): readonly CatalogKey[] {
  const { primaryKey, uniqueConstraints, uniqueIndexes } = table;
  return [...(primaryKey ? [primaryKey] : []), ...uniqueConstraints, ...uniqueIndexes];
}

/** No two rows that a scan of the table shows are equal, and not null, in all columns of the key. */
export function isUnique(table: CatalogTable, key: CatalogKey): ProvenFact {
  const name = `"${key.name}"`;
  if (table.hasChildren)
    return no(`other tables inherit from "${table.name}", and ${name} does not hold for their rows`);
  if (key.deferrable)
    return no(`${name} is deferrable: two rows may share its values until a transaction ends`);
  if (key.invalid) return no(`the index of ${name} is not valid`);
  if (key.otherEquality)
    return no(`the index of ${name} has an operator class or collation by which other values are equal`);
  if (key.columns.some((column) => columnOf(table, column)?.nondeterministic))
    return no(`a column of ${name} has a nondeterministic collation`);
  return yes(`${name} is unique`);
}

/** A column of the table, and the column or value of another row that it is compared with by `=`. */
export interface ComparedColumn {
  readonly column: string;
  readonly with: { readonly type: CatalogTypeReference; readonly nondeterministic?: true };
}

/**
 * At most one row of the table is equal in all of these columns to given values: they cover a key that is unique, and each of
 * its columns is compared by the equality of the key.
 */
export function isAtMostOne(
  catalog: Pick<Catalog, 'types'>,
  table: CatalogTable,
  compared: readonly ComparedColumn[],
): ProvenFact & { readonly isKeyDoubted: boolean } {
  const covering = keysOf(table).filter((key) =>
    key.columns.every((name) => compared.some(({ column }) => column === name)),
  );
  const proofs = covering.map((key) => {
    const unique = isUnique(table, key);
    if (!unique.holds) return unique;
    for (const { column, with: other } of compared) {
      if (!key.columns.includes(column)) continue;
      const own = columnOf(table, column)!;
      if (!shareEquality(catalog, own, other))
        return no(
          `values of type ${typeKey(other.type)} and "${column}" of type ${typeKey(own.type)} are compared by another equality than "${key.name}" has`,
        );
    }
    return unique;
  });
  const proof = proofs.find(({ holds }) => holds) ?? proofs[0] ?? no('no key is covered');
  // Types of another equality are no doubt: their comparison may tell the values apart, or not be there at all.
  const isKeyDoubted = covering.length > 0 && covering.every((key) => !isUnique(table, key).holds);
  return { ...proof, isKeyDoubted };
}

/**
 * Whether `=` between values of two columns is an equality that, within the type of the first, is the one that its key is unique
 * by.
 */
function shareEquality(
  { types }: Pick<Catalog, 'types'>,
  own: ComparedColumn['with'],
  other: ComparedColumn['with'],
): boolean {
  if (own.nondeterministic || other.nondeterministic) return false;
  const [left, right] = [own.type, other.type].map((type) => comparedType(types, type));
  if (left === undefined || right === undefined) return false;
  return areOfOneEquality(left, right);
}

/** The type whose `=` compares values: of a domain the type below. Undefined where the database defines an equality of its own. */
function comparedType(types: readonly CatalogType[], reference: CatalogTypeReference): string | undefined {
  const found = types.find(({ schema, name }) => schema === reference.schema && name === reference.name);
  if (found?.ownEquality) return undefined;
  if (found?.kind === 'domain' && !reference.array) return comparedType(types, found.base);
  return typeKey(reference);
}

/** No row that a scan of the relation shows has null in the column. */
export function isNeverNull(table: CatalogTable, name: string): ProvenFact {
  const column = columnOf(table, name);
  if (!column?.notNull) return no(`"${name}" is not declared NOT NULL, or that is not enforced`);
  if (column.nullBelow) return no(`a table that inherits from "${table.name}" may hold null in "${name}"`);
  return yes(`"${name}" is NOT NULL`);
}

/** For every row that a scan of the table shows, the row that the foreign key refers to is there. */
export function isAlwaysThere(table: CatalogTable, key: CatalogForeignKey): ProvenFact {
  const name = `"${key.name}"`;
  for (const column of key.columns) {
    const proof = isNeverNull(table, column);
    if (!proof.holds) return proof;
  }
  if (table.hasChildren)
    return no(`other tables inherit from "${table.name}", and ${name} does not hold for their rows`);
  if (key.deferrable) return no(`${name} is deferrable: it may be broken until a transaction ends`);
  if (key.unvalidated) return no(`${name} is NOT VALID or NOT ENFORCED`);
  if (key.disabled) return no(`a trigger that enforces ${name} is disabled`);
  return yes(`${name} refers to it, and its columns are NOT NULL`);
}

function columnOf({ columns }: CatalogTable, name: string) {
  return columns.find((column) => column.name === name);
}

function yes(because: string): ProvenFact {
  return { holds: true, because };
}

function no(because: string): ProvenFact {
  return { holds: false, because };
}
