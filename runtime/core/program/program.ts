/**
 * The linked program: what generated files declare, with names resolved to objects and rules parsed. Frozen once made;
 * a request keeps the program it began with.
 */

import { actionProvider } from '../action/provider.ts';
import type { ActionsProgram } from '../action/shapes.ts';
import { type Rule, readRule } from '../condition/rule.ts';
import { checkReferences } from '../contract/declared.ts';
import type {
  ColumnShape,
  ComputedFieldShape,
  DeclaredFunction,
  DeclaredTable,
  RelationshipShape,
  RuleText,
  SourceShape,
  TableAccess,
  TableShape,
} from '../contract/shapes.ts';
import { federationProvider } from '../federation/provider.ts';
import { camelCase, isGraphqlName, objectKey } from '../names.ts';
import { lazy, remember, sameItems } from '../remember.ts';
import { remoteProvider } from '../remotes/remote-root.ts';
import type { RemoteSchemaShape } from '../remotes/shapes.ts';
import type { Provider } from '../schema/provider.ts';
import { createRoleSchema, type RoleSchema } from '../schema/role-schema.ts';
import { indexRootFields, type RootFieldIndex } from '../schema/root-field-index.ts';
import { type TypeNames, typeNames } from '../schema/type-names.ts';
import { ADMIN_ROLE } from '../session.ts';
import type { ApiLimits } from '../settings.ts';
import { identifier, type Sql } from '../sql/fragment.ts';
import { tableNamed } from '../sql/statement.ts';
import { type ColumnType, columnType } from '../types.ts';
import { type Vocabulary, vocabularyOf } from '../vocabulary.ts';
import type { GeneratedProgram } from './resolvers.ts';
import {
  type FunctionFieldKind,
  fieldEntries,
  type MutationField,
  type QueryField,
  type StreamField,
} from './root-fields.ts';
import { takeOverSchemas } from './take-over.ts';

/** A tracked table with everything resolved that does not depend on permissions: those are the program's. */
export interface Table {
  readonly key: string;
  readonly shape: DeclaredTable;
  readonly source: SourceShape;
  /** `"public"."article"`. */
  readonly sql: Sql;
  /** The same name, as the type of its rows. */
  readonly rowType: Sql;
  readonly columns: ReadonlyMap<string, Column>;
  readonly relationships: ReadonlyMap<string, Relationship>;
  readonly computedFields: ReadonlyMap<string, ComputedField>;
  readonly primaryKey: readonly Column[];
  readonly names: TypeNames;
  /** Root fields by name. */
  readonly fields: {
    readonly query: ReadonlyMap<string, QueryField<DeclaredTable>>;
    readonly subscription: ReadonlyMap<string, StreamField>;
    readonly mutation: ReadonlyMap<string, MutationField<DeclaredTable>>;
  };
}

export interface Column {
  readonly name: string;
  readonly shape: ColumnShape;
  /** GraphQL field; undefined when the column is left out of the schema. */
  readonly field: string | undefined;
  readonly type: ColumnType;
  readonly enumTable?: Table;
}

export interface Relationship {
  readonly name: string;
  /** GraphQL field. */
  readonly field: string;
  readonly shape: RelationshipShape;
  readonly target: Table;
  /** Pairs of this table's and the target's column. */
  readonly columns: readonly (readonly [Column, Column])[];
}

export interface ComputedField {
  readonly name: string;
  readonly field: string;
  readonly shape: ComputedFieldShape;
  readonly returns: { readonly type: ColumnType } | { readonly table: Table; readonly set: boolean };
}

export interface TableFunction {
  readonly key: string;
  readonly shape: DeclaredFunction;
  /** Root fields by name. */
  readonly fields: {
    readonly query: ReadonlyMap<string, QueryField<DeclaredFunction, FunctionFieldKind>>;
    readonly mutation: ReadonlyMap<string, MutationField<DeclaredFunction, 'function'>>;
  };
  readonly returns: Table;
  readonly source: SourceShape;
}

/** The parts of a program that do not depend on a role. */
export interface ProgramContent {
  /** The one that texts of users in it are written in. */
  readonly vocabulary: Vocabulary;
  readonly sources: readonly SourceShape[];
  readonly tables: readonly Table[];
  readonly functions: readonly TableFunction[];
  /** The permissions on a table. */
  readonly access: (table: Table) => TableAccess;
  /** The table that a file declares; undefined when it is not served. */
  readonly tableOf: (declared: DeclaredTable) => Table | undefined;
  /** Who declares a root field. */
  readonly rootFields: RootFieldIndex;
  /** A rule of the program, read once. */
  readonly rule: (text: RuleText) => Rule;
  readonly remotes: readonly RemoteSchemaShape[];
  /** Absent without any. */
  readonly actions?: ActionsProgram;
  /** Root fields that no database answers alone, in the order in which they are asked. */
  readonly providers: readonly Provider[];
}

export interface Program extends ProgramContent {
  readonly limits: ApiLimits | undefined;
  /** Roles that any rule mentions; `admin` is not among them. */
  readonly roles: ReadonlySet<string>;
  /** The API as a role sees it. All unknown roles share one schema. */
  readonly roleSchema: (role: string, backendOnly: boolean, relay?: boolean) => RoleSchema;
  /** Views made so far. The program that follows takes over those to which nothing changed. */
  readonly schemas: ReadonlyMap<string, RoleSchema>;
  readonly options: SchemaOptions;
}

/** Options of the server that shape the API. */
export interface SchemaOptions {
  /** Allow functions to the roles that may select from their table. */
  readonly inferFunctionPermissions: boolean;
  /** Boolean expressions offer no conditions on aggregates of array relationships. */
  readonly hideAggregationPredicates?: boolean;
  /** Rows are ordered by aggregates of related rows only where the role may aggregate those. */
  readonly restrictAggregateOrder?: boolean;
  /** There is no `update_<t>_many`. */
  readonly hideUpdateMany?: boolean;
  /** Serve `_service` and `_entities`, by which a gateway makes this API a part of a federated graph. */
  readonly apolloFederation?: boolean;
  /** For the compiler, which saves statements: rules are holes in what is planned (see saved/holes.ts). */
  readonly ruleHoles?: boolean;
  /** Roles need a permission for a remote schema; without it everyone sees the whole. */
  readonly remoteSchemaPermissions?: boolean;
}

/**
 * Links generated parts. Names were checked by the compiler; what cannot be found here is a defect of the generated
 * files and throws.
 *
 * @param previous the program that this one follows. Where no shape changed, its tables stay in use, and its schemas of the
 *   roles whose rules say what they said (see `takeOverSchemas`): a change of permissions costs the roles it is about.
 */
export function linkProgram(
  generated: GeneratedProgram,
  options: SchemaOptions,
  previous?: Program,
): Program {
  const content = linkContent(generated, previous);
  const roles = new Set<string>();
  for (const access of generated.tables) {
    for (const rules of [access.select, access.insert, access.update, access.delete])
      for (const role in rules) roles.add(role);
  }
  for (const shape of generated.functions) for (const role of shape.roles) roles.add(role);
  for (const provider of content.providers) for (const role of provider.roles) roles.add(role);
  const withoutIntrospection = new Set(generated.introspectionDisabledFor);
  const hasAdmin = !generated.withoutAdmin;
  const schemas = previous ? takeOverSchemas(content, options, previous) : new Map<string, RoleSchema>();
  return {
    ...content,
    limits: generated.limits,
    roles,
    options,
    schemas,
    roleSchema: (role, backendOnly, relay = false) => {
      const known = role === ADMIN_ROLE ? hasAdmin : roles.has(role);
      const introspection = !withoutIntrospection.has(role);
      const key = `${relay ? 'relay ' : ''}${introspection ? '' : 'closed '}${known ? `${backendOnly ? 'backend ' : ''}role ${role}` : 'unknown'}`;
      return remember(schemas, key, () =>
        createRoleSchema(content, known ? role : undefined, { backendOnly, introspection, relay }, options),
      );
    },
  };
}

// A program must not refer to its predecessor, or all earlier programs would stay in memory: functions that
// outlive the linking are made in functions of their own, which do not see `previous`.
function linkContent(generated: GeneratedProgram, previous: Program | undefined): ProgramContent {
  const { sources } = generated;
  const unchanged =
    previous &&
    sameItems(previous.sources, sources) &&
    previous.tables.length === generated.tables.length &&
    previous.tables.every(({ shape }, index) => shape === generated.tables[index]!.table);
  const tables = unchanged ? previous.tables : linkTables(generated);
  const access = accessOf(tables, generated.tables);
  checkReferences(
    generated.tables,
    generated.tables.filter((each, index) => !unchanged || each !== previous.access(tables[index]!)),
    generated.functions,
  );
  const tableOf = unchanged ? previous.tableOf : byShape(tables);
  const parts = { sources, tables, access, tableOf };
  const functions = linkFunctions(generated, parts, unchanged && previous);
  const sameFields = unchanged && functions === previous.functions;
  const rootFields = sameFields ? previous.rootFields : indexRootFields({ tables, functions });
  const remotes = generated.remotes ?? [];
  const { actions } = generated;
  const providers = linkProviders(generated);
  const rule = rulesByText();
  return {
    ...parts,
    vocabulary: vocabularyOf(generated),
    functions,
    rootFields,
    rule,
    remotes,
    providers,
    ...(actions && { actions }),
  };
}

function linkProviders({ actions, remotes = [] }: GeneratedProgram): readonly Provider[] {
  return [...remotes.map(remoteProvider), ...(actions ? [actionProvider(actions)] : []), federationProvider];
}

function rulesByText(): ProgramContent['rule'] {
  const known = new Map<RuleText, Rule>();
  return (text) => remember(known, text, () => readRule(text));
}

function accessOf(tables: readonly Table[], rules: readonly TableAccess[]): ProgramContent['access'] {
  const byTable = new Map(tables.map((table, index) => [table, rules[index]!]));
  return (table) => byTable.get(table)!;
}

function byShape(tables: readonly Table[]): ProgramContent['tableOf'] {
  const known = lazy(() => new Map(tables.map((table) => [table.shape, table])));
  return (shape) => known().get(shape);
}

function linkTables(generated: GeneratedProgram): readonly Table[] {
  const bySource = new Map<string, Map<string, Table>>();
  for (const source of generated.sources) bySource.set(source.name, new Map());
  return generated.tables.map(({ table: shape }) => {
    const own = bySource.get(shape.source.name);
    const table = linkTable(shape, (key) => {
      const target = own?.get(key);
      if (!target) throw new Error(`generated code refers to the table ${key}, which is not part of it`);
      return target;
    });
    own?.set(table.key, table);
    return table;
  });
}

function linkFunctions(
  { functions }: GeneratedProgram,
  { tables }: Pick<ProgramContent, 'tables'>,
  previous: Program | undefined | false,
): readonly TableFunction[] {
  if (previous && previous.functions.length === functions.length) {
    const same = previous.functions.every(({ shape }, index) => shape === functions[index]);
    if (same) return previous.functions;
  }
  const byKey = lazy(() => new Map(tables.map((table) => [tableKey(table.source, table.key), table])));
  return functions.map((shape): TableFunction => {
    const returns = byKey().get(tableKey(shape.source, shape.returns.table));
    if (!returns)
      throw new Error(`generated code refers to the table ${shape.returns.table}, which is not part of it`);
    const fields = {
      query: new Map(fieldEntries(shape.fields.query)),
      mutation: new Map(fieldEntries(shape.fields.mutation)),
    };
    return { key: objectKey(shape.schema, shape.name), shape, fields, returns, source: shape.source };
  });
}

function tableKey(source: SourceShape, key: string): string {
  return `${source.name}\0${key}`;
}

function linkTable(shape: DeclaredTable, find: (key: string) => Table): Table {
  const names = typeNames(shape);
  // On first use: tables refer to each other in circles.
  const columns = lazy(
    () =>
      new Map(
        Object.entries(shape.columns).map(([name, column]) => [name, linkColumn(shape, name, column, find)]),
      ),
  );
  const relationships = lazy(
    () =>
      new Map(
        Object.entries(shape.relationships ?? {}).map(([name, relationship]): [string, Relationship] => {
          const target = find(relationship.target);
          const pairs = Object.entries(relationship.columns).map(
            ([own, other]) => [columnOf(table, own), columnOf(target, other)] as const,
          );
          return [name, { name, field: name, shape: relationship, target, columns: pairs }];
        }),
      ),
  );
  const computedFields = lazy(
    () =>
      new Map(
        Object.entries(shape.computedFields ?? {}).map(([name, field]): [string, ComputedField] => [
          name,
          {
            name,
            field: name,
            shape: field,
            returns:
              'type' in field.returns
                ? { type: columnType(shape.source, field.returns.type) }
                : { table: find(field.returns.table), set: field.returns.set },
          },
        ]),
      ),
  );
  const fields = lazy(() => ({
    query: new Map(fieldEntries(shape.fields.query)),
    subscription: new Map(fieldEntries(shape.fields.subscription)),
    mutation: new Map(fieldEntries(shape.fields.mutation)),
  }));
  const table: Table = {
    key: objectKey(shape.schema, shape.name),
    shape,
    source: shape.source,
    sql: tableNamed(shape.schema, shape.name),
    rowType: identifier(shape.schema, shape.name),
    names,
    get fields() {
      return fields();
    },
    get columns() {
      return columns();
    },
    get relationships() {
      return relationships();
    },
    get computedFields() {
      return computedFields();
    },
    get primaryKey() {
      return (shape.primaryKey?.columns ?? []).map((name) => columnOf(table, name));
    },
  };
  return table;
}

function linkColumn(
  table: TableShape,
  name: string,
  shape: ColumnShape,
  find: (key: string) => Table,
): Column {
  const written = shape.field === undefined ? name : shape.field;
  const visible = written !== null && isGraphqlName(written) ? written : undefined;
  const convention = table.source.naming === 'graphql-default' && !shape.customField;
  const type = columnType(table.source, shape.type);
  return {
    name,
    shape,
    field: visible !== undefined && convention ? camelCase(visible) : visible,
    type: shape.nondeterministic ? { ...type, isNondeterministic: true } : type,
    ...(shape.enumTable ? { enumTable: find(shape.enumTable) } : {}),
  };
}

/** A column by database name. */
function columnOf(table: Table, name: string): Column {
  const column = table.columns.get(name);
  if (!column) throw new Error(`generated code refers to the column ${name} of ${table.key}, which has none`);
  return column;
}
