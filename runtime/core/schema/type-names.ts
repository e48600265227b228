/** Names of GraphQL types that derive from a table's or function's base name. */
import { camelCase, pascalCase, upperFirst } from '../names.ts';
import type { SourceShape } from '../shapes.ts';

/** Writes the names of types and fields that derive from a base name, by the source's naming convention. */
export interface TypeNames {
  readonly object: string;
  /** `bool_exp` → `article_bool_exp` or `ArticleBoolExp`, with the source's prefix and suffix. */
  readonly derived: (suffix: string) => string;
  /** Type of an aggregate function's results: `article_stddev_pop_fields`, or `ArticleStddev_popFields`. */
  readonly aggregateFields: (operation: string) => string;
  /** A type that no naming convention changes: `article_stddev_pop_order_by`, `article_aggregate_bool_exp_count`. */
  readonly plain: (suffix: string) => string;
  /** A field's name. */
  readonly field: (name: string) => string;
}

/** Names of the types that derive from a table or function. */
export function typeNames(shape: { source: SourceShape; graphqlName: string; customName?: true }): TypeNames {
  const { source, graphqlName } = shape;
  const prefix = source.typePrefix ?? '';
  const suffix = source.typeSuffix ?? '';
  if (source.naming === 'graphql-default') {
    const base = shape.customName ? graphqlName : pascalCase(graphqlName);
    const customize = (name: string) => (prefix ? prefix + upperFirst(name) : name) + upperFirst(suffix);
    return {
      object: customize(base),
      derived: (part) => customize(base + pascalCase(part)),
      aggregateFields: (operation) => customize(`${base}${upperFirst(operation)}Fields`),
      plain: (part) => customize(`${graphqlName}_${part}`),
      field: camelCase,
    };
  }
  const plain = (part: string) => `${prefix}${graphqlName}_${part}${suffix}`;
  return {
    object: prefix + graphqlName + suffix,
    derived: plain,
    aggregateFields: (operation) => plain(`${operation}_fields`),
    plain,
    field: (name) => name,
  };
}
