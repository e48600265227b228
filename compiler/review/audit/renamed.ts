/**
 * Columns that a migration renamed while their fields kept their names. A column that stands at the place of one that is gone,
 * with its type and its field, is that column: PostgreSQL gives the place of a dropped column to no other. The earlier version
 * is then read with the later names, so that what only got another name is compared as the same.
 */
import { factName, readFactName } from '../../../runtime/catalog/object-facts.ts';
import { placeTokens, type Token, unquoted } from '../../../runtime/core/condition/tokens.ts';
import { type AnyRule, type ByAspect, eachAspect } from '../../../runtime/core/contract/aspects.ts';
import type {
  AccessRules,
  Below,
  ColumnShape,
  DeclaredTable,
  TableAccess,
} from '../../../runtime/core/contract/shapes.ts';
import { objectKey } from '../../../runtime/core/names.ts';
import type { Table } from '../../../runtime/core/program/program.ts';
import type { GeneratedProgram } from '../../../runtime/core/program/resolvers.ts';
import type { RemoteArgument, RemoteRelationshipShape } from '../../../runtime/core/remotes/shapes.ts';
import { quoteIdentifier } from '../../../runtime/core/sql/fragment.ts';
import type { PlannedDatabase, PlannedObject } from '../../model/plan.ts';
import { type GeneratedCode, linkCode } from '../generated-code/index.ts';
import type { Finding } from './finding.ts';

/** New names by old name. */
type Names = ReadonlyMap<string, string>;
/** Names of the columns of a table; undefined where none got another. */
type NamesOf = (source: string, table: string) => Names | undefined;

/** The earlier version with the later names of columns, and a finding for each column that got another. */
export function withLaterNames(
  base: GeneratedCode,
  head: GeneratedCode,
): { readonly base: GeneratedCode; readonly findings: readonly Finding[] } {
  const renamed = new Map<string, Names>();
  const findings: Finding[] = [];
  const idOf = ({ source, key }: Table) => JSON.stringify([source.name, key]);
  const earlier = new Map(base.program.tables.map((table) => [idOf(table), table]));
  for (const table of head.program.tables) {
    const { source, key, shape } = table;
    const was = earlier.get(idOf(table));
    const [before, after] = [base, head].map(({ databases }) => databases.get(source.name)?.objects[key]);
    if (!was || !before || !after || !isPlaced(was.shape) || !isPlaced(shape)) continue;
    const pairs = renamedIn(before, after, (old, next) => {
      const [one, other] = [was.columns.get(old), table.columns.get(next)];
      return one?.field !== undefined && one.field === other?.field;
    });
    if (pairs.length === 0) continue;
    renamed.set(idOf(table), new Map(pairs));
    for (const [old, next] of pairs)
      findings.push({
        ...{ verdict: 'not wider', subject: 'columns', source: source.name, table: key },
        text: `the column ${old} is called ${next} now: it has its place, its type and its field`,
      });
  }
  if (renamed.size === 0) return { base, findings };
  return { base: rename(base, (source, table) => renamed.get(JSON.stringify([source, table]))), findings };
}

/** Columns of views can change their places, and those of foreign tables find the values by their names. */
function isPlaced({ kind }: DeclaredTable): boolean {
  return kind === 'table' || kind === 'partitioned';
}

/** Pairs of the old and the new name; columns may have changed names with each other. */
function renamedIn(
  before: PlannedObject,
  after: PlannedObject,
  hasItsField: (old: string, next: string) => boolean,
): (readonly [string, string])[] {
  const [was, now] = [before.columns ?? [], after.columns ?? []];
  let pairs = was.flatMap((old, index) => {
    const next = now[index];
    if (old === null || next === null || next === undefined || old === next) return [];
    const isSame = (['type', 'collation', 'size'] as const).every(
      (kind) => before.facts[factName(kind, old)] === after.facts[factName(kind, next)],
    );
    return isSame && hasItsField(old, next) ? [[old, next] as const] : [];
  });
  for (let length = -1; length !== pairs.length; ) {
    length = pairs.length;
    // A name that another column has now, or had, is one that changed hands, too.
    const [olds, nexts] = [new Set(pairs.map(([old]) => old)), new Set(pairs.map(([, next]) => next))];
    pairs = pairs.filter(
      ([old, next]) => (!was.includes(next) || olds.has(next)) && (!now.includes(old) || nexts.has(old)),
    );
  }
  return pairs;
}

function rename(code: GeneratedCode, namesOf: NamesOf): GeneratedCode {
  const originals = new Map<object, object>();
  const link = <Value extends object>(made: Value, original: object): Value => {
    originals.set(made, original);
    return made;
  };
  const { generated } = code;
  const tables = generated.tables.map((access): TableAccess => {
    const { table, ...rules } = access;
    const shape = link(renamedShape(table, namesOf), table);
    return { ...renamedRules(rules, table, namesOf, link), table: shape };
  });
  const made = linkCode({
    label: code.label,
    generated: {
      ...generated,
      tables,
      functions: generated.functions.map((shape) =>
        link({ ...shape, ...belowOf(shape, (key) => namesOf(shape.source.name, key)) }, shape),
      ),
      ...servicesOf(generated, namesOf),
    },
    locate: (value) => code.locate(originals.get(value) ?? value),
    foreign: code.foreign,
    edited: code.edited,
    databases: [...code.databases.values()].map((database) => renamedDatabase(database, namesOf)),
    settingFacts: code.settingFacts,
  });
  return Object.defineProperties(made, {
    differing: { get: () => code.differing },
    unproved: { get: () => code.unproved },
  });
}

function nameIn(names: Names | undefined, name: string): string {
  return names?.get(name) ?? name;
}

function keysIn<Value>(names: Names | undefined, record: Readonly<Record<string, Value>>) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [nameIn(names, name), value]));
}

function mapped<Value, Result>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value, name: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}

function belowOf(
  { below }: { readonly below?: Below },
  names: (table: string) => Names | undefined,
): { readonly below?: Below } {
  if (!below?.reads) return {};
  const reads = mapped(below.reads, (columns, key) => columns.map((name) => nameIn(names(key), name)));
  return { below: { ...below, reads } };
}

function renamedShape(table: DeclaredTable, namesOf: NamesOf): DeclaredTable {
  const source = table.source.name;
  const names = (key: string) => namesOf(source, key);
  const own = names(objectKey(table.schema, table.name));
  const columns = mapped(table.columns, ({ origin, ...column }, name): ColumnShape => {
    const isRenamed = own?.has(name) === true;
    return {
      ...column,
      ...belowOf(column, names),
      ...(origin && { origin: { ...origin, column: nameIn(names(origin.table), origin.column) } }),
      // The field has the name that it was written with.
      ...(isRenamed && column.field === undefined && { field: name }),
    };
  });
  return {
    ...table,
    ...belowOf(table, names),
    columns: keysIn(own, columns),
    ...(table.primaryKey && {
      primaryKey: { ...table.primaryKey, columns: table.primaryKey.columns.map((name) => nameIn(own, name)) },
    }),
    ...(table.unique && {
      unique: mapped(table.unique, (key) => key.map((name) => nameIn(own, name))),
    }),
    ...(table.references && {
      references: table.references.map(({ columns: key, target, to }) => ({
        columns: key.map((name) => nameIn(own, name)),
        target,
        ...(to && { to: to.map((name) => nameIn(names(target), name)) }),
      })),
    }),
    ...(table.relationships && {
      relationships: mapped(table.relationships, (shape) => ({
        ...shape,
        columns: keysIn(
          own,
          mapped(shape.columns, (other) => nameIn(names(shape.target), other)),
        ),
        ...(shape.given && { given: mapped(shape.given, (column) => nameIn(own, column)) }),
      })),
    }),
    ...(table.computedFields && {
      computedFields: mapped(table.computedFields, (field) => ({ ...field, ...belowOf(field, names) })),
    }),
    ...(table.remoteRelationships && {
      remoteRelationships: mapped(table.remoteRelationships, (shape) => renamedRemote(shape, own, namesOf)),
    }),
  };
}

/** @param own names of the columns that the relationship starts from */
function renamedRemote(
  shape: RemoteRelationshipShape,
  own: Names | undefined,
  namesOf: NamesOf,
): RemoteRelationshipShape {
  if (shape.to === 'source') {
    const target = namesOf(shape.source, shape.target);
    return {
      ...shape,
      columns: keysIn(
        own,
        mapped(shape.columns, (column) => nameIn(target, column)),
      ),
    };
  }
  const argument = (value: RemoteArgument): RemoteArgument => {
    if ('key' in value) return { key: nameIn(own, value.key) };
    if ('items' in value) return { items: value.items.map(argument) };
    return 'fields' in value ? { fields: mapped(value.fields, argument) } : value;
  };
  return {
    ...shape,
    keys: shape.keys.map((key) => nameIn(own, key)),
    path: shape.path.map((step) => ({ ...step, arguments: mapped(step.arguments, argument) })),
  };
}

function renamedRules(
  rules: AccessRules,
  table: DeclaredTable,
  namesOf: NamesOf,
  link: <Value extends object>(made: Value, original: object) => Value,
): AccessRules {
  const own = namesOf(table.source.name, objectKey(table.schema, table.name));
  const text = (rule: string) => renamedText(rule, table, namesOf);
  const texts = (record: Readonly<Record<string, string>>) => keysIn(own, mapped(record, text));
  const same = () => ({});
  const renamed: ByAspect<AnyRule> = {
    columns: (names) => ({ columns: names.map((name) => nameIn(own, name)) }),
    where: (rule) => ({ where: text(rule) }),
    check: (rule) => ({ check: text(rule) }),
    presets: (rules) => ({ presets: texts(rules) }),
    cells: (rules) => ({ cells: texts(rules) }),
    computedFields: same,
    checkMessage: same,
    canFail: same,
    implies: same,
    limit: same,
    aggregations: same,
    queryRoots: same,
    subscriptionRoots: same,
    backendOnly: same,
    validateInput: same,
  };
  const ofRole = (rule: AnyRule): AnyRule =>
    link(Object.assign({}, rule, ...eachAspect(rule, renamed)), rule);
  return mapped(rules as Record<string, Record<string, AnyRule>>, (operation) =>
    mapped(operation, ofRole),
  ) as AccessRules;
}

/**
 * A rule with the later names: a name after `{row}` or an alias is a column of the table that it stands for. An alias holds
 * until the bracket ends in which it is given.
 */
function renamedText(text: string, table: DeclaredTable, namesOf: NamesOf): string {
  const placed = placeTokens(text);
  if (!placed) return text;
  const tokens = placed.map((token) => token.text);
  const source = table.source.name;
  const own = namesOf(source, objectKey(table.schema, table.name));
  const scopes: Map<Token, Names | undefined>[] = [new Map([['{row}', own]])];
  const replaced: { readonly start: number; readonly end: number; readonly by: string }[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token === '(') scopes.push(new Map(scopes.at(-1)));
    if (token === ')' && scopes.length > 1) scopes.pop();
    const [schema, dot, name, as] = tokens.slice(index - 4, index);
    if (as === 'as' && dot === '.' && name?.startsWith('"') && schema?.startsWith('"'))
      scopes.at(-1)!.set(token, namesOf(source, objectKey(unquoted(schema), unquoted(name))));
    if (!token.startsWith('"') || tokens[index - 1] !== '.') continue;
    const next = scopes
      .at(-1)!
      .get(tokens[index - 2] ?? '')
      ?.get(unquoted(token));
    if (next !== undefined) replaced.push({ ...placed[index]!, by: quoteIdentifier(next) });
  }
  return replaced.reduceRight(
    (result, { start, end, by }) => result.slice(0, start) + by + result.slice(end),
    text,
  );
}

/** Webhooks, actions and remote schemas that name columns. */
function servicesOf({ events, actions, remotes }: GeneratedProgram, namesOf: NamesOf) {
  return {
    ...(events && {
      events: {
        ...events,
        sources: events.sources.map(({ source, triggers }) => ({
          source,
          triggers: triggers.map((trigger) => {
            const own = namesOf(source, objectKey(trigger.table.schema, trigger.table.name));
            if (!own) return trigger;
            const text = (sql: string) =>
              sql.replaceAll(/(["'])((?:(?!\1).|\1\1)*)\1/gs, (whole, mark: string, inner: string) => {
                const next = own.get(inner.replaceAll(mark + mark, mark));
                return next === undefined ? whole : mark + next.replaceAll(mark, mark + mark) + mark;
              });
            return {
              ...trigger,
              ...(trigger.order && {
                order: { ...trigger.order, columns: trigger.order.columns.map((name) => nameIn(own, name)) },
              }),
              captures: trigger.captures.map((capture) => ({
                ...capture,
                sends: capture.sends === '*' ? capture.sends : capture.sends.map((name) => nameIn(own, name)),
                function: text(capture.function),
                trigger: text(capture.trigger),
              })),
            };
          }),
        })),
      },
    }),
    ...(actions && {
      actions: {
        ...actions,
        types: {
          ...actions.types,
          ...(actions.types.objects && {
            objects: mapped(actions.types.objects, (object) => ({
              ...object,
              ...(object.relationships && {
                relationships: mapped(object.relationships, (shape) => {
                  const names = namesOf(shape.source, shape.table);
                  return { ...shape, columns: mapped(shape.columns, (column) => nameIn(names, column)) };
                }),
              }),
            })),
          }),
        },
      },
    }),
    ...(remotes && {
      remotes: remotes.map((remote) => ({
        ...remote,
        ...(remote.relationships && {
          relationships: mapped(remote.relationships, (ofType) =>
            mapped(ofType, (shape) => renamedRemote(shape, undefined, namesOf)),
          ),
        }),
      })),
    }),
  };
}

function renamedDatabase(database: PlannedDatabase, namesOf: NamesOf): PlannedDatabase {
  const names = (key: string) => namesOf(database.source, key);
  const objects = mapped(database.objects, (object, key): PlannedObject => {
    const own = names(key);
    const columns = object.columns?.map((name) => (name === null ? name : nameIn(own, name)));
    const facts = Object.entries(object.facts).map(([fact, value]): [string, string] => {
      const { kind, name, isOfColumn } = readFactName(fact);
      const later = isOfColumn ? factName(kind, nameIn(own, name)) : fact;
      // The table that refers, and the name of the foreign key.
      const referring = kind === 'referenced by' ? name.slice(0, name.lastIndexOf(' ')) : undefined;
      return [later, renamedDefinition(value, referring === undefined ? own : names(referring), names)];
    });
    return { ...object, ...(columns && { columns }), facts: Object.fromEntries(facts) };
  });
  return { ...database, objects };
}

const NAME = '(?:[\\p{L}_][\\p{L}\\p{N}_$]*|"(?:[^"]|"")+")';

/** A definition as PostgreSQL writes it, of a constraint, an index or an expression over the columns of one table. */
function renamedDefinition(text: string, own: Names | undefined, names: (key: string) => Names | undefined) {
  const [, head, schema, name, tail] =
    new RegExp(`^(FOREIGN KEY .*? REFERENCES )(${NAME})\\.(${NAME})(\\(.*)$`, 'su').exec(text) ?? [];
  if (head === undefined) return renamedNames(text, own);
  const target = names(objectKey(plain(schema!), plain(name!)));
  return `${renamedNames(head, own)}${schema}.${name}${renamedNames(tail!, target)}`;
}

/** Names outside of strings, except those of functions and types, and parts of another name. */
function renamedNames(text: string, own: Names | undefined): string {
  if (!own) return text;
  const pattern = new RegExp(`'(?:[^']|'')*'|(?<![.:$\\p{L}\\p{N}_"])${NAME}(?![\\p{L}\\p{N}_$"(.])`, 'gsu');
  return text.replaceAll(pattern, (found) => {
    const next = found.startsWith("'") ? undefined : own.get(plain(found));
    return next === undefined ? found : /^[a-z_][a-z0-9_]*$/.test(next) ? next : quoteIdentifier(next);
  });
}

function plain(name: string): string {
  return name.startsWith('"') ? unquoted(name) : name;
}
