/** The types of logical models: what their names mean in a database, and whether what a query returns is of them. */
import { nearest } from '../core/diagnostics/nearest.ts';
import { quoteLiteral } from '../core/sql/fragment.ts';
import type { LogicalModel, LogicalType, Source } from '../metadata/metadata.ts';
import type { RunQuery } from './introspect.ts';
import type { RawCatalog, RawType } from './raw-catalog.ts';

type Declarations = Pick<Source, 'logical_models' | 'native_queries'>;

/** The model whose rows a field holds, one or a list of them; undefined for other fields. */
export function nestedModel(type: LogicalType): string | undefined {
  const item = type.kind === 'array' ? type.array : type;
  return item.kind === 'model' ? item.logical_model : undefined;
}

/** A model and those inside of it, at every depth. */
export function withNested(name: string, models: readonly LogicalModel[]): readonly LogicalModel[] {
  const found = new Map<string, LogicalModel>();
  const add = (called: string): void => {
    const model = models.find((each) => each.name === called);
    if (!model || found.has(called)) return;
    found.set(called, model);
    for (const { type } of model.fields) {
      const inner = nestedModel(type);
      if (inner !== undefined) add(inner);
    }
  };
  add(name);
  return [...found.values()];
}

/** OID of a type, or a sentence that says why PostgreSQL does not know it. */
export type FindType = (type: LogicalType) => number | string;

export async function typeFinder(query: RunQuery, raw: RawCatalog, objects: Declarations): Promise<FindType> {
  const names = new Set<string>();
  const collect = (type: LogicalType): void => {
    if (type.kind === 'scalar') names.add(type.scalar);
    if (type.kind === 'array') collect(type.array);
  };
  for (const { fields } of objects.logical_models) for (const { type } of fields) collect(type);
  for (const native of objects.native_queries)
    for (const { type } of Object.values(native.arguments)) names.add(type);
  const oids = new Map<string, number | undefined>();
  for (const name of names) oids.set(name, await oidOf(query, name));
  const jsonb = raw.types.find(({ schema, name }) => schema === 'pg_catalog' && name === 'jsonb')!.oid;
  const find: FindType = (type) => {
    switch (type.kind) {
      case 'scalar': {
        const oid = oids.get(type.scalar);
        const known = raw.types.find((each) => each.oid === oid);
        if (!known) return `"${type.scalar}" is not a type of the database`;
        return known.kind === 'p' ? `"${type.scalar}" is a pseudo-type` : known.oid;
      }
      case 'array': {
        if (type.array.kind === 'model') return find(type.array);
        if (type.array.kind === 'array' && nestedModel(type.array) !== undefined)
          return 'lists of lists of a logical model are not served; put the inner list into a field of a model';
        const item = find(type.array);
        if (typeof item === 'string') return item;
        if (type.array.kind === 'array') return 'arrays of arrays have the type of the array: name it once';
        return raw.types.find(({ element }) => element === item)?.oid ?? 'the type has no array type';
      }
      case 'model': {
        const { logical_model: name } = type;
        // Values of several types are rows of it; `fieldMisfit` looks at them.
        if (objects.logical_models.some((model) => model.name === name)) return jsonb;
        const near = nearest(
          name,
          objects.logical_models.map((model) => model.name),
        );
        return `there is no logical model "${name}"${near === undefined ? '' : `; did you mean "${near}"?`}`;
      }
    }
  };
  return find;
}

/** Before version 16 a name that is not one is an error. */
export async function oidOf(query: RunQuery, name: string): Promise<number | undefined> {
  try {
    const { rows } = await query(`select pg_catalog.to_regtype(${quoteLiteral(name)})::oid as oid`);
    return rows[0]?.oid === null ? undefined : Number(rows[0]?.oid);
  } catch {
    return undefined;
  }
}

/** Whether values of a type count as such of another without a cast. */
async function isImplicit(query: RunQuery, raw: RawCatalog, from: number, to: number): Promise<boolean> {
  const base = raw.types.find(({ oid }) => oid === from)?.base;
  if (base) return base === to || isImplicit(query, raw, base, to);
  const { rows } = await query(
    `select from pg_catalog.pg_cast where castsource = ${from} and casttarget = ${to} and castcontext = 'i'`,
  );
  return rows.length > 0;
}

function typeWords(raw: RawCatalog, oid: number): string {
  const type = raw.types.find((each) => each.oid === oid);
  if (!type) return 'unknown';
  if (type.element !== null) return `${typeWords(raw, type.element)}[]`;
  return type.schema === 'pg_catalog' ? type.name : `${type.schema}.${type.name}`;
}

/** Inputs of `fieldMisfit` that stay the same at every depth. */
export interface FieldTypes {
  readonly query: RunQuery;
  readonly raw: RawCatalog;
  readonly types: FindType;
  readonly models: readonly LogicalModel[];
}

/** Why values of a type are not such of a field of a model, as the end of a sentence; undefined where they are. */
export async function fieldMisfit(
  known: FieldTypes,
  owner: LogicalModel,
  type: LogicalType,
  actual: number,
): Promise<string | undefined> {
  const { query, raw, types, models } = known;
  const model = models.find(({ name }) => name === nestedModel(type));
  if (!model) {
    const declared = types(type) as number;
    // Nothing is concluded from a domain.
    if (baseOf(raw, actual)?.oid === baseOf(raw, declared)?.oid) return undefined;
    if (await isImplicit(query, raw, actual, declared)) return undefined;
    return `is of type ${typeWords(raw, actual)}, where the logical model "${owner.name}" says ${typeWords(raw, declared)}`;
  }
  const found = baseOf(raw, actual);
  if (isJson(found)) return undefined;
  const isList = type.kind === 'array';
  const row = isList && found?.element != null ? baseOf(raw, found.element) : isList ? undefined : found;
  if (isJson(row) || (row?.schema === 'pg_catalog' && row.name === 'record')) return undefined;
  const fields = row?.kind === 'c' ? attributesOf(raw, row) : undefined;
  if (!fields)
    return `is of type ${typeWords(raw, actual)}, where ${isList ? 'a list of rows' : 'a row'} of the logical model "${model.name}" is json, jsonb or ${isList ? 'an array of a composite type' : 'a composite type'}`;
  for (const field of model.fields) {
    const attribute = fields.get(field.name);
    if (attribute === undefined)
      return `is of type ${typeWords(raw, actual)}, which has no attribute "${field.name}" of the logical model "${model.name}"`;
    const misfit = await fieldMisfit(known, model, field.type, attribute);
    if (misfit !== undefined) return `has an attribute "${field.name}" that ${misfit}`;
  }
  return undefined;
}

function baseOf(raw: RawCatalog, oid: number): RawType | undefined {
  const type = raw.types.find((each) => each.oid === oid);
  return type?.base ? baseOf(raw, type.base) : type;
}

function isJson(type: RawType | undefined): boolean {
  return type?.schema === 'pg_catalog' && (type.name === 'json' || type.name === 'jsonb');
}

/** Types of the attributes of a composite type by name. */
function attributesOf(raw: RawCatalog, type: RawType): ReadonlyMap<string, number> {
  const columns = type.fields ?? raw.columns.filter(({ relation }) => relation === type.relation);
  return new Map(columns.map(({ name, type: oid }) => [name, oid]));
}
