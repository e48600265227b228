/** Rules of the lint about what the database does below permissions: rows as a whole, expressions of columns, rights of functions. */
import { factsOfKind } from '../../../runtime/catalog/object-facts.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { displayName, keyOf, objectKey } from '../../../runtime/core/names.ts';
import type { MetadataPath } from '../../../runtime/metadata/metadata.ts';
import { about, causedBy, type Found, type LintFinding } from './finding.ts';
import { hiddenColumns, permissionToRead, quotedNames } from './hidden-columns.ts';
import type { LintInput, PlacedPermission, PlacedTable } from './place.ts';

/** Views that compute something from every column of a table that the role may not read at all: mostly its rows as a whole. */
export function wholeRowsByView(
  view: PlacedTable,
  { operation, role, columns, path }: PlacedPermission,
  { tableOf }: LintInput,
): Found[] {
  if (operation !== 'select' || view.model.shape.kind === 'table') return [];
  const computed = columns.filter((column) => !view.model.shape.columns[column]?.origin);
  if (computed.length === 0) return [];
  return Object.entries(view.model.shape.below?.reads ?? {}).flatMap(([key, read]) => {
    const table = tableOf(view.source, key);
    const isStored = table && ['table', 'partitioned', 'foreign'].includes(table.model.shape.kind);
    const all = Object.keys(table?.model.shape.columns ?? {});
    if (
      !isStored ||
      permissionToRead(table, role) ||
      all.length < 2 ||
      !all.every((column) => read.includes(column))
    )
      return [];
    const facts = { role, table: table.name, computed: quotedNames(computed), view: view.name };
    return [about(view, [...path, 'columns'], messages.wholeRowComputedByView(facts), computed, key)];
  });
}

/** Columns of tables that a default or an expression makes of columns that the role may not read. */
export function computedByColumn(
  table: PlacedTable,
  { operation, role, columns, path }: PlacedPermission,
  { tableOf }: LintInput,
): Found[] {
  if (operation !== 'select' || table.model.shape.kind === 'view') return [];
  return columns.flatMap((shown) =>
    Object.entries(table.model.shape.columns[shown]?.below?.reads ?? {}).flatMap(([key, read]) => {
      const of = tableOf(table.source, key);
      const hidden = hiddenColumns(of, role).filter((column) => read.includes(column));
      if (!of || hidden.length === 0) return [];
      const facts = { role, columns: quotedNames(hidden), table: of.name, shown, owner: table.name };
      return [
        about(table, [...path, 'columns'], messages.hiddenColumnComputed(facts), [...hidden, shown], key),
      ];
    }),
  );
}

/** Policies of a table, or of one that a view looks at, that hide nothing because row security is disabled. */
export function disabledPolicies(
  table: PlacedTable,
  { path }: PlacedPermission,
  { plan }: LintInput,
): Found[] {
  const database = plan.databases.find(({ source }) => source === table.source);
  const { key, shape } = table.model;
  return [key, ...Object.keys(shape.below?.reads ?? {})].flatMap((each) => {
    const object = database?.objects[each];
    const policies = object ? factsOfKind(object, 'policy') : [];
    if (!object || policies.length === 0 || Object.hasOwn(object.facts, 'row security')) return [];
    const names = quotedNames(policies.map(([name]) => name));
    const what = each === key ? `table ${table.name}` : `table ${each}, which ${table.name} shows`;
    return [causedBy(path, messages.policiesDisabled({ what, names }), [table.source, each])];
  });
}

/** Computed fields whose functions run with the rights of their owner. */
export function definerFields(
  table: PlacedTable,
  { operation, role, path, computedFields }: PlacedPermission,
): Found[] {
  if (operation !== 'select') return [];
  return computedFields.flatMap((field) => {
    const { function: called, definer } = table.model.shape.computedFields![field]!;
    if (!definer) return [];
    const name = displayName(called.schema, called.name);
    const what = `computed field "${field}" of table ${table.name}`;
    const message = messages.functionSecurityDefiner({ name, what, who: `role "${role}"` });
    return [causedBy([...path, 'computed_fields'], message, [objectKey(called.schema, called.name)])];
  });
}

/** Tracked functions that run with the rights of their owner, and that a role may call: it may select what they return. */
export function definerFunctions({ metadata, model }: LintInput): LintFinding[] {
  return metadata.sources.flatMap(({ name: source, functions, tables }) =>
    functions.flatMap(({ function: called, path }): LintFinding[] => {
      const key = keyOf(called);
      const found = model.sources
        .find(({ shape }) => shape.name === source)
        ?.functions.find(({ shape }) => objectKey(shape.schema, shape.name) === key);
      if (!found?.shape.definer) return [];
      const returned = tables.find(({ table }) => keyOf(table) === found.shape.returns.table);
      if (!returned || returned.select_permissions.length === 0) return [];
      const name = displayName(called.schema, called.name);
      const message = messages.functionSecurityDefiner({
        name,
        what: 'a root field',
        who: 'a role',
      });
      return [
        {
          diagnostic: at(path, message),
          tables: [],
          columns: [],
          role: '',
          place: name,
          cause: [source, key],
        },
      ];
    }),
  );
}

/** Addresses that are called with data, written out instead of read from the environment. */
export function literalWebhooks({ metadata, tables }: LintInput): LintFinding[] {
  const report = (what: string, path: MetadataPath, address: string, owner?: PlacedTable): LintFinding[] => {
    const host = /^https?:\/\/(?:[^/?#]*@)?([^/?#]*)/i.exec(address)?.[1] ?? address;
    if (host.includes('{{')) return [];
    const names = owner ? [owner.model.key, owner.name] : [];
    const diagnostic = at(path, messages.webhookIsLiteral({ what, host }));
    return [{ diagnostic, tables: names, columns: [], role: '', place: what, cause: [host] }];
  };
  return [
    ...tables.flatMap((table) =>
      table.entry.event_triggers.flatMap(({ name, path, webhook }) =>
        typeof webhook === 'string' ? report(`event trigger "${name}"`, path, webhook, table) : [],
      ),
    ),
    ...metadata.cron_triggers.flatMap(({ name, path, webhook }) =>
      report(`cron trigger "${name}"`, path, webhook),
    ),
    ...metadata.actions.flatMap(({ name, path, definition }) =>
      report(`action "${name}"`, path, definition.handler),
    ),
  ];
}
