/**
 * What PostgreSQL says of the SQL of a native query: its types, whether it may write, and what. Nothing runs: what reads is typed in a
 * FROM clause of which no row is asked for, where statements that write are refused; of what may write, only the plan is made.
 */
import { nearest } from '../core/diagnostics/nearest.ts';
import { objectKey } from '../core/names.ts';
import {
  type NativePart,
  type NativeStatement,
  nativeSql,
  nativeWithItem,
  placeInText,
  readNativeText,
} from '../core/native-text.ts';
import { quoteIdentifier } from '../core/sql/fragment.ts';
import type { LogicalModel, NativeQuery } from '../metadata/metadata.ts';
import type { RunQuery } from './introspect.ts';
import { type FieldTypes, fieldMisfit, oidOf } from './logical-types.ts';

export interface DescribedNative {
  /** The text with numbered parameters. */
  readonly body: string;
  readonly isVolatile: boolean;
  /** Of mutations: what their own statements do to tables, by key of the table. Not what functions and triggers do. */
  readonly writes?: Readonly<Record<string, readonly string[]>>;
}

/** A description, or why the SQL cannot be served. */
export async function describeNative(
  known: FieldTypes,
  { code, arguments: list, type }: NativeQuery,
  model: LogicalModel,
): Promise<DescribedNative | string> {
  const read = readNativeText(code);
  if ('problem' in read) return `${placeInText(code, read.at)}: ${read.problem}`;
  const { parts } = read;
  for (const part of parts) {
    if ('text' in part || Object.hasOwn(list, part.argument)) continue;
    const near = nearest(part.argument, Object.keys(list));
    const advice = near === undefined ? 'declare it in "arguments"' : `did you mean "${near}"?`;
    return `${placeInText(code, part.at)}: there is no argument "${part.argument}"; ${advice}`;
  }
  const value = (name: string) => `(null::${list[name]!.type})`;
  const fields = model.fields.map(({ name }) => quoteIdentifier(name));
  const names = Object.keys(list);
  const body = nativeSql(parts, (name) => `$${names.indexOf(name) + 1}`);
  const isMutation = type === 'mutation';
  const printed = isMutation ? nativeWithItem(read) : parts;
  let head = PLAN;
  let plan: PlanNode;
  let actual: readonly (number | undefined)[];
  try {
    if (isMutation) {
      plan = await planOf(
        known.query,
        nativeSql(printed, value),
        // Of the null, PostgreSQL prints the type.
        `${fields.map((field) => `array[${field}, null]`).join(', ')} from ${ITEM}`,
      );
      actual = await typesPrinted(known.query, plan);
    } else {
      const types = fields.map((field) => `pg_catalog.pg_typeof(q.${field})::oid::int8`);
      head = `select pg_catalog.json_build_array(${types.join(', ')})::text as types from (values (1)) as one (x) left join (select * from (`;
      const { rows } = await known.query(`${head}${nativeSql(parts, value)}\n) as q limit 0) as q on true`);
      actual = JSON.parse(String(rows[0]!.types)) as number[];
      // The item is planned as a part of the statement, unless it calls a VOLATILE function, by whatever name, or locks rows.
      head = `${PLAN}with ${ITEM} as (`;
      plan = await planOf(known.query, `with ${ITEM} as (${nativeSql(parts, value)}\n)`, `* from ${ITEM}`);
    }
  } catch (error) {
    const { message, position } = error as { readonly message: string; readonly position?: string };
    const at =
      position === undefined ? undefined : codeOffset(printed, value, Number(position) - 1 - head.length);
    const says = at === undefined ? message : `${placeInText(code, at)}: ${message}`;
    return isMutation || !writes(read, value) ? says : `${says}; SQL that writes needs "type: mutation"`;
  }
  for (const [index, field] of model.fields.entries()) {
    const oid = actual[index];
    const misfit = oid === undefined ? undefined : await fieldMisfit(known, model, field.type, oid);
    if (misfit !== undefined) return `column "${field.name}" ${misfit}`;
  }
  if (isMutation) return { body, isVolatile: true, writes: writesIn(plan) };
  return { body, isVolatile: nodesOf(plan).some(({ 'CTE Name': name }) => name === NAME) };
}

/** For advice only. */
function writes({ parts }: NativeStatement, value: (name: string) => string): boolean {
  return /\b(?:insert\s+into|update|delete\s+from|merge\s+into)\b/i.test(nativeSql(parts, value));
}

const NAME = 'engine written';
const ITEM = quoteIdentifier(NAME);
const PLAN = 'explain (verbose, format json) ';

interface PlanNode {
  readonly 'Node Type': string;
  readonly Output?: readonly string[];
  readonly 'CTE Name'?: string;
  readonly Operation?: string;
  readonly Schema?: string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

async function planOf(query: RunQuery, item: string, rest: string): Promise<PlanNode> {
  const { rows } = await query(`${PLAN}${item} select ${rest}`);
  const [text] = Object.values(rows[0]!);
  const [{ Plan }] = (typeof text === 'string' ? JSON.parse(text) : text) as [{ Plan: PlanNode }];
  return Plan;
}

function nodesOf(plan: PlanNode): readonly PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** The types of the columns: `ARRAY["engine written".id, NULL::integer]`. */
async function typesPrinted(query: RunQuery, plan: PlanNode): Promise<readonly (number | undefined)[]> {
  const found: (number | undefined)[] = [];
  for (const text of plan.Output ?? []) {
    const [, name] = /NULL::(.*)\]$/s.exec(text) ?? [];
    found.push(name === undefined ? undefined : await oidOf(query, name));
  }
  return found;
}

function writesIn(plan: PlanNode): Readonly<Record<string, readonly string[]>> {
  const writes = new Map<string, Set<string>>();
  for (const { 'Node Type': kind, Operation: operation, Schema: schema, 'Relation Name': name } of nodesOf(
    plan,
  )) {
    if (kind !== 'ModifyTable' || operation === undefined || name === undefined) continue;
    const key = objectKey(schema ?? '', name);
    writes.set(key, (writes.get(key) ?? new Set()).add(operation.toLowerCase()));
  }
  return Object.fromEntries([...writes].sort().map(([key, operations]) => [key, [...operations].sort()]));
}

/** The place in the metadata's text of a position in the statement. */
function codeOffset(
  parts: readonly NativePart[],
  value: (name: string) => string,
  offset: number,
): number | undefined {
  let printed = 0;
  for (const part of parts) {
    const length = 'text' in part ? part.text.length : value(part.argument).length;
    if (offset >= printed && offset < printed + length)
      return part.at + ('text' in part ? offset - printed : 0);
    printed += length;
  }
  return undefined;
}
