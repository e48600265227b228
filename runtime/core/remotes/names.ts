/** Translates names of types and fields between a remote schema and its clients. */
import { BUILT_IN_SCALARS } from '../names.ts';
import type { RemoteCustomization, Renaming } from './shapes.ts';

export interface RemoteNames {
  readonly namespace: string | undefined;
  readonly type: (original: string) => string;
  readonly field: (type: string, original: string) => string;
  /** The remote's name of a type that `type` gave before. */
  readonly originalType: (name: string) => string;
  /** True if no type is renamed. */
  readonly keepsTypes: boolean;
}

/** @param roots names of the root types, which only a namespace or the mapping renames */
export function remoteNames(
  customization: RemoteCustomization | undefined,
  roots: ReadonlySet<string>,
): RemoteNames {
  const originals = new Map<string, string>();
  const { namespace, types = {}, fields = {} } = customization ?? {};
  const renamed = (original: string): string => {
    const mapped = own(types.names, original);
    if (mapped !== undefined) return mapped;
    if (original.startsWith('__') || BUILT_IN_SCALARS.has(original)) return original;
    if (roots.has(original)) return namespace === undefined ? original : `${namespace}${original}`;
    return affixed(types, original);
  };
  return {
    namespace,
    type: (original) => {
      const name = renamed(original);
      originals.set(name, original);
      return name;
    },
    field: (type, original) => {
      const renaming = own(fields, type);
      if (!renaming || original.startsWith('__')) return original;
      return own(renaming.names, original) ?? affixed(renaming, original);
    },
    originalType: (name) => originals.get(name) ?? name,
    keepsTypes: Object.keys(types).length === 0 && namespace === undefined,
  };
}

function affixed({ prefix = '', suffix = '' }: Renaming, name: string): string {
  return `${prefix}${name}${suffix}`;
}

function own<Value>(record: Readonly<Record<string, Value>> | undefined, key: string): Value | undefined {
  return record && Object.hasOwn(record, key) ? record[key] : undefined;
}
