/** Random rewrites of rules that let through the same rows, whatever the rows: those that `audit diff` does not call equal. */
import type { Json, JsonObject } from '../../../runtime/metadata/metadata.ts';
import { Random } from '../random.ts';
import { type CampaignOptions, diffOf, openBench } from './bench.ts';
import { randomCondition } from './random-condition.ts';
import { randomProject } from './random-project.ts';
import { COLUMNS, type Column, metadataOf, type Permission, type Project, type TableName } from './world.ts';

export interface NeutralResult {
  readonly cases: number;
  /** What was said of those that were not called equal. */
  readonly alarms: readonly string[];
}

/** One rewrite of one rule for each case. */
export async function runNeutralCampaign(options: CampaignOptions): Promise<NeutralResult> {
  const bench = await openBench(options);
  const alarms: string[] = [];
  let cases = 0;
  try {
    for (let index = 0; cases < options.cases; index += 1) {
      const random = new Random(options.seed * 1_000_003 + index);
      const project = randomProject(random);
      const json = metadataOf(project);
      const base = bench.serve(json, 'base');
      if (!base) continue;
      for (let count = 0; count < 10 && cases < options.cases; count += 1) {
        const changed = structuredClone(project);
        const rewritten = rewriteProject(random, changed);
        if (!rewritten) continue;
        const head = bench.serve(metadataOf(changed), 'head');
        if (!head) continue;
        cases += 1;
        const [finding] = diffOf(base, head, 0);
        if (finding) alarms.push(`${finding.verdict}: ${rewritten}`);
      }
    }
    return { cases, alarms };
  } finally {
    await bench.end();
  }
}

function rewriteProject(random: Random, project: Project): string | undefined {
  const places = (Object.keys(project.tables) as TableName[]).flatMap((table) =>
    Object.values(project.tables[table]!.permissions).flatMap((permissions) =>
      Object.values(permissions).flatMap((permission: Permission) =>
        (['filter', 'check'] as const)
          .filter((key) => Object.keys(permission[key] ?? {}).length > 0)
          .map((key) => ({ table, permission, key })),
      ),
    ),
  );
  if (places.length === 0) return undefined;
  const { table, permission, key } = random.pick(places);
  const before = permission[key]!;
  const { name, after } = rewrite(random, project, table, before);
  if (JSON.stringify(before) === JSON.stringify(after)) return undefined;
  permission[key] = after;
  return `${name}, ${table}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`;
}

type Rewrite = (condition: JsonObject, random: Random, other: () => JsonObject) => JsonObject;

const not = (condition: JsonObject): JsonObject => ({ _not: condition });
const conjuncts = (condition: JsonObject): JsonObject[] =>
  Object.entries(condition).flatMap(([key, value]) =>
    key === '_and' ? (value as unknown as JsonObject[]) : [{ [key]: value! }],
  );

/** Each is an equality of conditions, unknown results of comparisons included: only rows count for which the whole is true. */
const REWRITES: Readonly<Record<string, Rewrite>> = {
  'not twice': (condition) => not(not(condition)),
  'said twice': (condition) => ({ _and: [condition, condition] }),
  'one branch': (condition) => ({ _or: [condition] }),
  flattened: (condition) => ({ _and: conjuncts(condition) }),
  reordered: (condition, random) => ({ _and: random.shuffle(conjuncts(condition)) }),
  nested: (condition) => ({ _and: [{ _and: conjuncts(condition) }, {}] }),
  absorbed: (condition, _, other) => ({ _or: [condition, { _and: [condition, other()] }] }),
  'absorbed by a branch': (condition, _, other) => ({ _and: [condition, { _or: [other(), condition] }] }),
  'branches distributed': (condition, _, other) => {
    const [one, two] = [other(), other()];
    return { _and: [condition, { _or: [condition, { _and: [one, two] }] }] };
  },
  'with nothing': (condition) => ({ _or: [condition, { _or: [] }] }),
  'with everything': (condition) => ({ _and: [condition, { _and: [] }] }),
  'De Morgan': (condition) => ({ _not: { _or: conjuncts(condition).map(not) } }),
};

/** The same comparisons in other operators, everywhere in the condition. */
function inOtherWords(condition: JsonObject, project: Project, table: TableName): JsonObject {
  return {
    _and: Object.entries(condition).map(([key, value]): JsonObject => {
      if (key === '_and' || key === '_or')
        return {
          [key]: (value as unknown as JsonObject[]).map((each) => inOtherWords(each, project, table)),
        };
      if (key === '_not') return { _not: inOtherWords(value as JsonObject, project, table) };
      const column = COLUMNS[table].find(({ name }) => name === key);
      if (column) return { _or: [comparison(column, value as JsonObject)] };
      const related = project.tables[table]!.relationships.find(({ name }) => name === key);
      if (related?.kind !== 'object' || !project.tables[related.target]) return { [key]: value! };
      // At most one row: each part may be said of it alone.
      const parts = Object.entries(value as JsonObject).map(([name, part]) => ({ [key]: { [name]: part! } }));
      return parts.length > 0 ? { _and: parts } : { [key]: value! };
    }),
  };
}

/** `_eq` and `_in` of one for each other, a list as branches and in another order, the next integer, columns changed over. */
function comparison({ name, type, nullable }: Column, value: JsonObject): JsonObject {
  const [[operator, operand] = ['', null]] = Object.entries(value);
  const isLiteral = operand !== null && !(typeof operand === 'string' && operand.startsWith('X-'));
  const as = (other: string, given: Json): JsonObject => ({ [name]: { [other]: given } });
  switch (operator) {
    case '_eq':
      return isLiteral ? as('_in', [operand]) : as(operator, operand);
    case '_in':
      return Array.isArray(operand) && operand.length > 0
        ? { _or: operand.map((each: Json) => as('_eq', each)).reverse() }
        : as(operator, operand);
    case '_nin':
      return Array.isArray(operand) && !nullable
        ? { _and: operand.map((each: Json) => as('_neq', each)) }
        : as(operator, operand);
    case '_neq':
      return nullable ? as(operator, operand) : { _not: as('_eq', operand) };
    case '_gt':
      return type === 'int' && typeof operand === 'number' ? as('_gte', operand + 1) : as(operator, operand);
    case '_lte':
      return type === 'int' && typeof operand === 'number' ? as('_lt', operand + 1) : as(operator, operand);
    case '_gte':
      return nullable ? as(operator, operand) : { _not: as('_lt', operand) };
    case '_ceq':
      return { [operand as string]: { _ceq: name } };
    case '_is_null':
      return operand === true ? as(operator, true) : { _not: as('_is_null', true) };
    default:
      return { [name]: value };
  }
}

function rewrite(
  random: Random,
  project: Project,
  table: TableName,
  condition: JsonObject,
): { readonly name: string; readonly after: JsonObject } {
  if (random.chance(0.4)) return { name: 'in other words', after: inOtherWords(condition, project, table) };
  if (random.chance(0.1)) {
    // A column that is never null is never null.
    const column = random.pick(COLUMNS[table].filter(({ nullable }) => !nullable));
    if (table !== 'open_item')
      return { name: 'never null', after: { _and: [condition, { [column.name]: { _is_null: false } }] } };
  }
  const [name, make] = random.pick(Object.entries(REWRITES));
  return { name, after: make(condition, random, () => randomCondition(random, project, table, 1)) };
}
