import type { CatalogType, CatalogTypeReference } from './catalog.ts';
import { compareNames } from './order.ts';
import type { RawColumn, RawType } from './raw-catalog.ts';

/** Names types by OID, and remembers which were named: those are the types that the catalog lists. */
export interface TypeNamer {
  reference(oid: number): CatalogTypeReference;
  hasDefault(oid: number): boolean;
  /** The types named so far and those that they are made of, outside pg_catalog, by schema and name. */
  used(): readonly CatalogType[];
}

/** `columns` are the columns of each relation by OID, in order: the fields of row types. */
export function nameTypes(
  types: readonly RawType[],
  columns: ReadonlyMap<number, readonly RawColumn[]>,
): TypeNamer {
  const byOid = new Map(types.map((type) => [type.oid, type]));
  const named = new Set<RawType>();

  function find(oid: number): RawType {
    const type = byOid.get(oid);
    if (type === undefined)
      throw new Error(
        `The type with OID ${oid} changed while the database was read. Read it again when the migration is over.`,
      );
    return type;
  }

  function reference(oid: number): CatalogTypeReference {
    const type = find(oid);
    const element = type.element === null ? type : find(type.element);
    named.add(element);
    return { schema: element.schema, name: element.name, ...(element !== type && { array: true }) };
  }

  /** Whether something holds for a domain or one that it is based on. */
  function someDomain(oid: number, holds: (domain: RawType) => boolean): boolean {
    const type = find(oid);
    return type.base !== null && (holds(type) || someDomain(type.base, holds));
  }

  function describe(type: RawType): CatalogType {
    const { oid, schema, name } = type;
    const head = {
      schema,
      name,
      oid,
      ...(type.comment !== null && { comment: type.comment }),
      ...(type.own_equality && { ownEquality: true as const }),
    };
    switch (type.kind) {
      case 'b':
        return { ...head, kind: 'base' };
      case 'r':
        return { ...head, kind: 'range' };
      case 'm':
        return { ...head, kind: 'multirange' };
      case 'p':
        return { ...head, kind: 'pseudo' };
      case 'e':
        return { ...head, kind: 'enum', values: type.labels ?? [] };
      case 'd':
        return {
          ...head,
          kind: 'domain',
          base: reference(type.base!),
          ...(type.not_null && { notNull: true }),
        };
      case 'c': {
        const fields = type.fields ?? columns.get(type.relation!) ?? [];
        return {
          ...head,
          kind: 'composite',
          fields: fields.map((field) => ({ name: field.name, type: reference(field.type) })),
          ...(type.row_type && { relation: true }),
        };
      }
    }
  }

  return {
    reference,
    hasDefault: (oid) => someDomain(oid, (domain) => domain.has_default),
    used() {
      const described: CatalogType[] = [];
      // Describing a type may name further ones: a Set hands out what is added while it is walked.
      for (const type of named) if (type.schema !== 'pg_catalog') described.push(describe(type));
      return described.sort(compareNames);
    },
  };
}

/** A type reference as text, for sorting overloads. */
export function typeReferenceText(type: CatalogTypeReference): string {
  return `${type.schema}.${type.name}${type.array ? '[]' : ''}`;
}
