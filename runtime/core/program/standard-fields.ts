/** The root fields that a table has when neither its metadata nor the database says otherwise. */
import { type NamingConvention, upperFirst } from '../names.ts';
import {
  isNamedKind,
  type MutationFieldKind,
  type QueryFieldKind,
  ROOT_FIELD_KINDS,
  type RootFieldKind,
  type SubscriptionFieldKind,
} from './root-fields.ts';

interface StandardFields {
  readonly query: Readonly<Record<string, QueryFieldKind>>;
  readonly subscription: Readonly<Record<string, SubscriptionFieldKind>>;
  readonly mutation: Readonly<Record<string, MutationFieldKind>>;
}

/**
 * All root fields of a table that can be named, by name.
 * @param base what the names are made of: `ticket` in `insert_ticket_one`
 */
export function standardFields(base: string, convention?: NamingConvention): StandardFields {
  const named = <Kind extends RootFieldKind>(kinds: readonly Kind[]): Readonly<Record<string, Kind>> =>
    Object.fromEntries(
      kinds.filter(isNamedKind).map((kind) => [standardName(kind, base, convention), kind] as const),
    );
  return {
    query: named(ROOT_FIELD_KINDS.query),
    subscription: named(ROOT_FIELD_KINDS.subscription),
    mutation: named(ROOT_FIELD_KINDS.mutation),
  };
}

/** The name of a root field by the naming convention. */
export function standardName(
  kind: RootFieldKind,
  base: string,
  convention: NamingConvention = 'engine-default',
): string {
  return NAMES[convention][kind](base);
}

const NAMES: Record<NamingConvention, Record<RootFieldKind, (table: string) => string>> = {
  'engine-default': {
    select: (table) => table,
    select_by_pk: (table) => `${table}_by_pk`,
    select_aggregate: (table) => `${table}_aggregate`,
    select_group_by: (table) => `${table}_group_by`,
    select_stream: (table) => `${table}_stream`,
    insert: (table) => `insert_${table}`,
    insert_one: (table) => `insert_${table}_one`,
    update: (table) => `update_${table}`,
    update_by_pk: (table) => `update_${table}_by_pk`,
    update_many: (table) => `update_${table}_many`,
    delete: (table) => `delete_${table}`,
    delete_by_pk: (table) => `delete_${table}_by_pk`,
  },
  'graphql-default': {
    select: (table) => table,
    select_by_pk: (table) => `${table}ByPk`,
    select_aggregate: (table) => `${table}Aggregate`,
    select_group_by: (table) => `${table}GroupBy`,
    select_stream: (table) => `${table}Stream`,
    insert: (table) => `insert${upperFirst(table)}`,
    insert_one: (table) => `insert${upperFirst(table)}One`,
    update: (table) => `update${upperFirst(table)}`,
    update_by_pk: (table) => `update${upperFirst(table)}ByPk`,
    update_many: (table) => `update${upperFirst(table)}Many`,
    delete: (table) => `delete${upperFirst(table)}`,
    delete_by_pk: (table) => `delete${upperFirst(table)}ByPk`,
  },
};
