/** Names of GraphQL types that derive from a table's or function's base name. */
import { camelCase, pascalCase, upperFirst } from './names.ts';
import type { SourceShape } from './shapes.ts';

/** Writes the names of types and fields that derive from a base name, by the source's naming convention. */
export interface TypeNames {
  readonly object: string;
  /** `bool_exp` → `article_bool_exp` or `ArticleBoolExp`, with the source's prefix and suffix. */
  readonly derived: (suffix: string) => string;
  /** A name made of two parts around the base: `insert`, `input` … */
  readonly field: (name: string) => string;
}

/** Names of the types that derive from a table or function (reference graphql-api §1.5, §1.6). */
export function typeNames(shape: { source: SourceShape; graphqlName: string; customName?: true }): TypeNames {
  const { source } = shape;
  const prefix = source.typePrefix ?? '';
  const suffix = source.typeSuffix ?? '';
  if (source.naming === 'graphql-default') {
    const base = shape.customName ? shape.graphqlName : pascalCase(shape.graphqlName);
    const customize = (name: string) => (prefix ? prefix + upperFirst(name) : name) + upperFirst(suffix);
    return {
      object: customize(base),
      derived: (part) =>
        customize(pascalCase(base) === base ? base + pascalCase(part) : upperFirst(base) + pascalCase(part)),
      field: camelCase,
    };
  }
  return {
    object: prefix + shape.graphqlName + suffix,
    derived: (part) => `${prefix}${shape.graphqlName}_${part}${suffix}`,
    field: (name) => name,
  };
}
