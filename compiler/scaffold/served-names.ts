/** Names under which tables and columns are served whose own names GraphQL does not allow. */
import { isColumnField, isGraphqlName, type QualifiedName } from '../../runtime/core/names.ts';
import { freeName, servedName } from '../../runtime/metadata/relationship-names.ts';

/** A name for a table; `undefined` where its own will do. */
export function customTableName(
  { schema, name }: QualifiedName,
  isFree: (name: string) => boolean,
): string | undefined {
  const own = schema === 'public' ? name : `${schema}_${name}`;
  if (isGraphqlName(own) && isFree(own)) return undefined;
  return freeName([servedName(own, 'table')], isFree);
}

/** A field name for a column; `undefined` where its own will do. */
export function customColumnName(name: string, isFree: (name: string) => boolean): string | undefined {
  if (isColumnField(name)) return undefined;
  const base = servedName(name, 'column');
  return freeName([base, `${base}_`], (each) => isColumnField(each) && isFree(each));
}
