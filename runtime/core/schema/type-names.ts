/**
 * Names of GraphQL types and fields that derive from a table's or function's base name.
 * @rule What are types and root fields called?
 */

import type { SourceShape } from '../contract/shapes.ts';
import { camelCase, pascalCase, upperFirst } from '../names.ts';

/** Writes the names of types and fields that derive from a base name, by the source's naming convention. */
export interface TypeNames {
  readonly object: string;
  /** `bool_exp` → `article_bool_exp` or `ArticleBoolExp`, with the source's prefix and suffix. */
  readonly derived: (suffix: string) => string;
  /** Type of an aggregate function's results: `article_stddev_pop_fields`, `ArticleStddevPopFields`. */
  readonly aggregateFields: (operation: string) => string;
  /** An order by an aggregate function's results: `article_stddev_pop_order_by`, `ArticleStddevPopOrderBy`, and its field. */
  readonly aggregateOrderBy: (operation: string) => { readonly type: string; readonly field: string };
  /** Predicates over aggregates: `article_aggregate_bool_exp`, `ArticleAggregateBoolExp`. */
  readonly aggregatePredicate: string;
  /** Types of the predicate of one function; `columns` lists the columns it takes, `title` is what its description calls it. */
  readonly predicateOf: (operation: string) => {
    readonly type: string;
    readonly arguments: string;
    readonly columns: string;
    readonly title: string;
  };
  /** Arguments of a function, which no convention changes: `search_articles_args`. */
  readonly args: string;
  /** Arguments of a computed field: `full_name_author_args`. */
  readonly argsOf: (computedField: string) => string;
  /** A further field of a relationship or computed field: `articles_aggregate`, `articlesAggregate`. */
  readonly related: (own: string, part: 'aggregate' | 'group_by') => string;
  /** The same in a filter. */
  readonly relatedFilter: (own: string) => string;
}

type Named = { source: SourceShape; graphqlName: string; customName?: true };

/** Names of the types that derive from a table or function. */
export function typeNames(shape: Named): TypeNames {
  const { source } = shape;
  if (source.naming !== 'graphql-default') return unchangedNames(shape);
  return source.earlyNames ? earlyNames(shape) : camelNames(shape);
}

function unchangedNames({ source, graphqlName }: Named): TypeNames {
  const customize = (name: string) => `${source.typePrefix ?? ''}${name}${source.typeSuffix ?? ''}`;
  const plain = (part: string) => customize(`${graphqlName}_${part}`);
  return {
    object: customize(graphqlName),
    derived: plain,
    aggregateFields: (operation) => plain(`${operation}_fields`),
    aggregateOrderBy: (operation) => ({ type: plain(`${operation}_order_by`), field: operation }),
    ...plainPredicates(plain),
    ...argumentTypes(graphqlName, customize),
    related: (own, part) => `${own}_${part}`,
    relatedFilter: (own) => `${own}_aggregate`,
  };
}

/** `graphql-default`. */
function camelNames(shape: Named): TypeNames {
  const { graphqlName, customName } = shape;
  const { base, customize } = pascalBase(shape);
  // These types begin like a field.
  const predicate = `${customName ? graphqlName : camelCase(graphqlName)}AggregateBoolExp`;
  return {
    ...pascalNames(shape),
    aggregateFields: (operation) => customize(`${base}${pascalCase(operation)}Fields`),
    aggregateOrderBy: (operation) => ({
      type: customize(`${base}${pascalCase(operation)}OrderBy`),
      field: camelCase(operation),
    }),
    aggregatePredicate: customize(`${base}AggregateBoolExp`),
    predicateOf: (operation) => {
      const own = predicate + upperFirst(operation);
      const title = `${own}ArgumentsColumns`;
      return {
        type: customize(own),
        arguments: customize(`${own}Arguments`),
        columns: customize(`${base}SelectColumn${upperFirst(title)}`),
        title,
      };
    },
    // The name of the relationship is a person's choice, like a custom name.
    related: (own, part) => own + pascalCase(part),
    relatedFilter: (own) => `${own}Aggregate`,
  };
}

/** `graphql-default` as its first version was, which left many names as they are. */
function earlyNames(shape: Named): TypeNames {
  const { graphqlName } = shape;
  const { base, customize } = pascalBase(shape);
  const plain = (part: string) => customize(`${graphqlName}_${part}`);
  return {
    ...pascalNames(shape),
    aggregateFields: (operation) => customize(`${base}${upperFirst(operation)}Fields`),
    aggregateOrderBy: (operation) => ({ type: plain(`${operation}_order_by`), field: operation }),
    ...plainPredicates(plain),
    related: (own, part) => camelCase(`${own}_${part}`),
    relatedFilter: (own) => `${own}_aggregate`,
  };
}

function pascalBase({ source, graphqlName, customName }: Named) {
  const { typePrefix, typeSuffix = '' } = source;
  return {
    base: customName ? graphqlName : pascalCase(graphqlName),
    customize: (name: string) => (typePrefix ? typePrefix + upperFirst(name) : name) + upperFirst(typeSuffix),
  };
}

function pascalNames(shape: Named): Pick<TypeNames, 'object' | 'derived' | 'args' | 'argsOf'> {
  const { base, customize } = pascalBase(shape);
  return {
    object: customize(base),
    derived: (part) => customize(base + pascalCase(part)),
    ...argumentTypes(shape.graphqlName, customize),
  };
}

function argumentTypes(
  graphqlName: string,
  customize: (name: string) => string,
): Pick<TypeNames, 'args' | 'argsOf'> {
  return {
    args: customize(`${graphqlName}_args`),
    argsOf: (field) => customize(`${field}_${graphqlName}_args`),
  };
}

function plainPredicates(
  plain: (part: string) => string,
): Pick<TypeNames, 'aggregatePredicate' | 'predicateOf'> {
  return {
    aggregatePredicate: plain('aggregate_bool_exp'),
    predicateOf: (operation) => {
      const title = plain(`aggregate_bool_exp_${operation}_arguments_columns`);
      return {
        type: plain(`aggregate_bool_exp_${operation}`),
        arguments: plain(`aggregate_bool_exp_${operation}_arguments`),
        columns: `${plain('select_column')}_${title}`,
        title,
      };
    },
  };
}
