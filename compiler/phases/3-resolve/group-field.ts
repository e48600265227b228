/** Root fields that group rows: an extension, so they take no name that anything else has without it. */

import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at, type Diagnostic } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { quotedName } from '../../../runtime/core/names.ts';
import { typeNames } from '../../../runtime/core/schema/type-names.ts';
import { hasShards } from '../../../runtime/core/shards/index.ts';
import type { Memory } from '../../memory/memory.ts';
import { reuser } from '../../memory/reuse.ts';
import { ownerName } from './conflict.ts';
import { rootFieldName } from './root-field.ts';
import type { SourceStructure } from './structure.ts';
import type { TakenNames } from './taken-names.ts';

/** Types that derive from a table for its groups. */
const TYPES = ['', '_key', '_column', '_order_by', '_key_order_by'].map((part) => `group_by${part}`);

/**
 * The source with a field for each table whose names are free, if it has the extension; tables in shards of a cluster have none. Claims the names.
 * @param taken names of everything else
 */
export function addGroupFields(
  source: SourceStructure,
  taken: TakenNames,
  diagnostics: Diagnostic[],
  memory: Memory,
): SourceStructure {
  const { scope, tables } = source;
  const { shape } = scope;
  if (!shape.extensions?.includes('group_by')) return source;
  return {
    ...source,
    tables: tables.map((structure) => {
      if (hasShards({ ...structure.shape, source: shape })) return structure;
      const table = scope.tables.get(structure.key)!;
      const { catalog, entry } = table;
      const kind = 'select_group_by';
      const name = rootFieldName(kind, catalog, entry.configuration, scope.source, shape.naming);
      const fullName = shape.rootNamespace === undefined ? name : `${shape.rootNamespace}.${name}`;
      const roots = ['query', 'subscription'].map((root) => `${root} ${fullName}`);
      const types = TYPES.map(typeNames({ ...structure.shape, source: shape }).derived);
      const [clash] = [
        ...roots.flatMap((root) => claimOf(taken.roots, root, name)),
        ...types.flatMap((type) => claimOf(taken.types, type, type)),
        ...types.flatMap((name) => {
          const owner = taken.shared.get(name)?.owner;
          return owner === undefined ? [] : [{ name, owner }];
        }),
      ];
      if (clash) {
        const problem = messages.groupByLeftOut({ field: name, table: quotedName(catalog), ...clash });
        diagnostics.push(at(entry.path, problem));
        return structure;
      }
      const own = ownerName({ scope, table });
      for (const root of roots) taken.roots.set(root, own);
      for (const type of types) taken.types.set(type, own);
      return memory.update(reuseGrouped, structure, {
        ...structure,
        rootFields: [...structure.rootFields, { kind, name }],
      });
    }),
  };
}

function claimOf(taken: ReadonlyMap<string, string>, key: string, name: string) {
  const owner = taken.get(key);
  return owner === undefined ? [] : [{ name, owner }];
}

const reuseGrouped = reuser<SourceStructure['tables'][number]>();
