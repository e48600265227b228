/**
 * Native queries and logical models among the objects of the database: PostgreSQL types each statement, so that what it says of
 * functions and views holds for them, too. A model is a view without a query, a query a function in SQL. They go into the raw
 * catalog, in a schema that no database has; what PostgreSQL refuses is left out with its reason.
 */
import { createHash } from 'node:crypto';
import { nearest } from '../core/diagnostics/nearest.ts';
import { DECLARED_SCHEMA, isColumnField, objectKey } from '../core/names.ts';
import type { LogicalField, LogicalModel, NativeQuery, Source } from '../metadata/metadata.ts';
import type { Refusal } from './catalog.ts';
import { describeNative } from './describe-native.ts';
import type { RunQuery } from './introspect.ts';
import { typeFinder, withNested } from './logical-types.ts';
import type {
  RawCatalog,
  RawColumn,
  RawFunction,
  RawRelation,
  RawRoutine,
  RawText,
  RawType,
} from './raw-catalog.ts';

export interface DeclaredObjects extends Pick<Source, 'logical_models' | 'native_queries'> {
  /** Runs a statement that PostgreSQL may refuse; given where a transaction has to outlive the refusal. */
  readonly attempt?: RunQuery;
}

export interface Declared {
  readonly raw: RawCatalog;
  /** Reasons by key of what is left out. */
  readonly refused: Readonly<Record<string, Refusal>>;
}

interface DescribedModel {
  readonly model: LogicalModel;
  readonly type: number;
  readonly relation: number;
  readonly columns: readonly RawColumn[];
}

/** OIDs of the database are positive. */
interface Numbers {
  next: number;
}

/** Says of what a query was typed: a catalog knows it as long as this is the same. */
export function declaredHash(query: NativeQuery, models: readonly LogicalModel[]): string {
  const { code, arguments: list, returns, type } = query;
  const used = withNested(returns, models).map(({ fields }) => fields);
  return createHash('md5')
    .update(JSON.stringify([code, list, used, ...(type === 'mutation' ? [type] : [])]))
    .digest('hex');
}

export function modelHash({ fields }: LogicalModel): string {
  return createHash('md5').update(JSON.stringify(fields)).digest('hex');
}

export async function addDeclared(
  query: RunQuery,
  raw: RawCatalog,
  objects: DeclaredObjects,
): Promise<Declared> {
  const { logical_models: models, native_queries: queries, attempt = query } = objects;
  if (models.length + queries.length === 0) return { raw, refused: {} };
  const numbers: Numbers = { next: -1 };
  const refused: Record<string, Refusal> = {};
  const types = await typeFinder(attempt, raw, objects);
  const relations: RawRelation[] = [];
  const columns: RawColumn[] = [];
  const rowTypes: RawType[] = [];
  const routines: RawRoutine[] = [];
  const functions: RawFunction[] = [];
  const texts: RawText[] = [];
  const described = new Map<string, DescribedModel>();
  for (const model of models) {
    const relation = numbers.next--;
    const type = numbers.next--;
    const own: RawColumn[] = [];
    const reasons: string[] = [];
    for (const field of model.fields) {
      const found = types(field.type);
      if (typeof found === 'string') reasons.push(`field "${field.name}": ${found}`);
      else own.push(columnOf(relation, own.length + 1, field, found));
      if (!isColumnField(field.name))
        reasons.push(
          `GraphQL does not allow the name "${field.name}" of a field; name the column otherwise in the SQL`,
        );
    }
    if (model.fields.length === 0) reasons.push('it has no fields');
    const repeated = model.fields.find(({ name }, index) =>
      model.fields.some((other, at) => at < index && other.name === name),
    );
    if (repeated) reasons.push(`it has more than one field "${repeated.name}"`);
    if (reasons.length > 0) refused[keyOf(model.name)] = { reason: reasons.join('; ') };
    else described.set(model.name, { model, type, relation, columns: own });
  }
  // Without a model those go that have rows of it inside.
  for (const { name } of models) {
    const lost = withNested(name, models).find((inner) => !described.has(inner.name));
    if (!lost || lost.name === name) continue;
    refused[keyOf(name)] ??= {
      reason: `the logical model "${lost.name}" inside of it is inconsistent`,
    };
  }
  for (const [name, { model, type, relation, columns: own }] of described) {
    if (Object.hasOwn(refused, keyOf(name))) {
      described.delete(name);
      continue;
    }
    relations.push(relationOf(relation, model));
    columns.push(...own);
    rowTypes.push(rowTypeOf(type, relation, name));
  }
  for (const native of queries) {
    const key = keyOf(native.root_field_name);
    const model = described.get(native.returns);
    if (!model) {
      const known = Object.hasOwn(refused, keyOf(native.returns));
      const near = nearest(native.returns, [...described.keys()]);
      const reason = known
        ? `the logical model "${native.returns}" of its rows is inconsistent`
        : `there is no logical model "${native.returns}"${near === undefined ? '' : `; did you mean "${near}"?`}`;
      refused[key] = { reason };
      continue;
    }
    const list = Object.entries(native.arguments).map(([name, { type }]) => {
      const found = types({ kind: 'scalar', scalar: type, nullable: false });
      return { name, type: found };
    });
    const unknown = list.find(({ type }) => typeof type === 'string');
    const result = unknown
      ? `argument "${unknown.name}": ${unknown.type}`
      : await describeNative({ query: attempt, raw, types, models }, native, model.model);
    if (typeof result === 'string') {
      refused[key] = { reason: result, ...(!unknown && { inCode: true }) };
      continue;
    }
    const oid = numbers.next--;
    const argument_types = list.map(({ type }) => type).join(' ');
    const argument_names = list.map(({ name }) => name);
    routines.push({
      oid,
      schema: DECLARED_SCHEMA,
      name: native.root_field_name,
      language: 'sql',
      extension: null,
      is_aggregate: false,
      is_immutable: false,
      body: result.body,
      argument_types,
      argument_names,
      returns: model.type,
      definition: declaredHash(native, models),
    });
    functions.push({
      oid,
      schema: DECLARED_SCHEMA,
      name: native.root_field_name,
      volatility: result.isVolatile ? 'v' : 's',
      ...(result.writes && { writes: result.writes }),
      is_strict: false,
      language: 'sql',
      comment: null,
      argument_types,
      argument_names,
      argument_modes: null,
      defaults: 0,
      is_variadic: false,
      returns: model.type,
      returns_set: true,
      is_definer: false,
      definition: declaredHash(native, models),
    });
    texts.push({
      ...{ oid, schema: DECLARED_SCHEMA, name: native.root_field_name, arguments: '' },
      definition: [native.code, ...Object.entries(native.arguments).map(argumentText)].join('\n'),
    });
  }
  return {
    raw: {
      ...raw,
      types: [...raw.types, ...rowTypes],
      relations: [...raw.relations, ...relations],
      columns: [...raw.columns, ...columns],
      routines: [...raw.routines, ...routines],
      functions: [...raw.functions, ...functions],
      ...(raw.texts && { texts: [...raw.texts, ...texts] }),
    },
    refused,
  };
}

function argumentText([name, { type, nullable }]: [string, NativeQuery['arguments'][string]]): string {
  return `-- ${name} ${type}${nullable ? '' : ' not null'}`;
}

function keyOf(name: string): string {
  return objectKey(DECLARED_SCHEMA, name);
}

function columnOf(relation: number, position: number, field: LogicalField, type: number): RawColumn {
  return {
    relation,
    position,
    name: field.name,
    type,
    not_null: false,
    ...(!field.type.nullable && { is_promised: true }),
    null_below: false,
    has_default: false,
    identity: '',
    generated: '',
    comment: field.description ?? null,
    nondeterministic: false,
    updatable: false,
  };
}

function relationOf(oid: number, model: LogicalModel): RawRelation {
  return {
    oid,
    schema: DECLARED_SCHEMA,
    name: model.name,
    kind: 'v',
    comment: model.description ?? null,
    parent: null,
    inherits: false,
    has_children: false,
    events: 0,
    query: null,
    definition: modelHash(model),
    has_side_effects: false,
  };
}

function rowTypeOf(oid: number, relation: number, name: string): RawType {
  return {
    oid,
    schema: DECLARED_SCHEMA,
    name,
    kind: 'c',
    comment: null,
    element: null,
    own_equality: false,
    base: null,
    not_null: false,
    has_default: false,
    labels: null,
    relation,
    row_type: true,
    fields: null,
  };
}
