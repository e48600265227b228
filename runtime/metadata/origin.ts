import type { Location } from '../core/diagnostics/diagnostic.ts';
import { formatPath } from '../core/diagnostics/path.ts';
import type { MetadataPath } from './metadata.ts';

/**
 * Where metadata came from. It is handed on beside the metadata, never inside it: the same metadata gives the same
 * output wherever it was read.
 */
export interface Origin {
  /** The place of a value, or of the nearest one around it that has a place; undefined for metadata without files. */
  readonly locate: (path: MetadataPath) => Location | undefined;
  /** The path in names instead of indexes: `sources.default.tables.public.article.select_permissions.user`. */
  readonly describe: (path: MetadataPath) => string;
}

/** The places of a value and of what is inside it; an included value has places of its own file. */
export interface PositionNode {
  readonly location: Location;
  readonly children?: ReadonlyMap<string | number, PositionNode>;
}

/** An origin over positions that are built when first asked for. */
export function createOrigin(document: unknown, positions: () => PositionNode | undefined): Origin {
  let root: PositionNode | undefined;
  let built = false;
  return {
    locate: (path) => {
      if (!built) root = positions();
      built = true;
      let node = root;
      for (const segment of path) {
        const child = node?.children?.get(segment);
        if (child === undefined) break;
        node = child;
      }
      return node?.location;
    },
    describe: (path) => describePath(document, path),
  };
}

/** Prints a path with the names of the entries it passes; an entry without a name keeps its index. */
function describePath(document: unknown, path: MetadataPath): string {
  const names: (string | number)[] = [];
  let value = document;
  for (const segment of path) {
    value =
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[segment] : undefined;
    names.push(typeof segment === 'number' ? (entryName(value) ?? segment) : segment);
  }
  const plain = names.every((name) => typeof name === 'number' || /^[\w.-]+$/.test(name));
  if (!plain) return formatPath(names);
  return names.reduce<string>((text, name) => {
    if (typeof name === 'number') return `${text}[${name}]`;
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

function entryName(entry: unknown): string | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const {
    name,
    table,
    function: callee,
    role,
    role_name,
    collection,
    type_name,
  } = entry as Record<string, unknown>;
  for (const candidate of [name, table, callee, role, role_name, collection, type_name]) {
    if (typeof candidate === 'string') return candidate;
    if (typeof candidate === 'object' && candidate !== null && 'name' in candidate) {
      const { schema, name: base } = candidate as { schema?: unknown; name: unknown };
      if (typeof base === 'string') return typeof schema === 'string' ? `${schema}.${base}` : base;
    }
  }
  return undefined;
}
