/** How the metadata API writes the names of objects in messages and identifies them in lists of inconsistent objects. */

import { displayName } from '../../core/names.ts';
import type { QualifiedName } from '../../metadata/metadata.ts';

/** The same without quotes, as in lists of dependent objects. */
export function unquotedName(name: QualifiedName): string {
  return displayName(name.schema, name.name);
}

/** Identifies an entry of `get_inconsistent_metadata`: its type, and its name beginning with the type. */
export interface ObjectIdentity {
  readonly type: string;
  readonly name: string;
  /** The objects that contain it: its source, and its table if it has one. */
  readonly within?: readonly ObjectIdentity[];
}

export function sourceObject(source: string): ObjectIdentity {
  return { type: 'source', name: `source ${source}` };
}

export function tableObject(source: string, table: QualifiedName): ObjectIdentity {
  return {
    type: 'table',
    name: `table ${unquotedName(table)} in source ${source}`,
    within: [sourceObject(source)],
  };
}

export function functionObject(source: string, name: QualifiedName): ObjectIdentity {
  return {
    type: 'function',
    name: `function ${unquotedName(name)} in source ${source}`,
    within: [sourceObject(source)],
  };
}

/** An object inside a table: a relationship, computed field, trigger, or permission (named by its role). */
export function tablePart(type: string, part: string, source: string, table: QualifiedName): ObjectIdentity {
  const owner = tableObject(source, table);
  return { type, name: `${type} ${part} in ${owner.name}`, within: [owner, sourceObject(source)] };
}

/** An object of the whole service: an action, a remote schema, a REST endpoint. */
export function globalObject(type: string, name: string): ObjectIdentity {
  return { type, name: `${type} ${name}` };
}

/** Whether two names mean the same table or function. */
export function sameName(left: QualifiedName, right: QualifiedName): boolean {
  return left.name === right.name && left.schema === right.schema;
}
