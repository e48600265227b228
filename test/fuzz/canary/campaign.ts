/**
 * Every role asks for everything that it is offered; each value names the column that it was written to, and `audit who` must
 * list the role for that column, and the field where the value comes out right below a root field.
 */

import { compile } from '../../../compiler/index.ts';
import { readMetadata } from '../../../compiler/phases/1-read/index.ts';
import { programOf } from '../../../compiler/phases/4-plan/program.ts';
import { whoCan } from '../../../compiler/review/audit/who.ts';
import { type GeneratedCode, linkCode } from '../../../compiler/review/generated-code/index.ts';
import { loadReadBody } from '../../../runtime/catalog/sql-body.ts';
import { EngineError } from '../../../runtime/core/errors.ts';
import { createPlanner } from '../../../runtime/core/request/planner.ts';
import { type FieldDefinition, namedType } from '../../../runtime/core/schema/types.ts';
import { CANONICAL } from '../../../runtime/core/vocabulary.ts';
import { readDatabase } from '../../../runtime/database/read-database.ts';
import type { SourceConnection } from '../../../runtime/database/source.ts';
import { executeData } from '../../../runtime/graphql/execute.ts';
import { SERVING } from '../../harness/compile.ts';
import { openSource } from '../../harness/source.ts';
import { Random } from '../random.ts';
import { createScratchDatabase } from '../scratch-database.ts';
import { canariesIn, ROLES, randomSchema } from './random-schema.ts';

export interface CanaryResult {
  readonly operations: number;
  readonly schemas: number;
  /** Values that came out, of how many columns and roles. */
  readonly seen: number;
  /** Of those, the ones that only a possible path lists. */
  readonly possible: number;
  /** Facts that `who` lists and that no operation showed, of all that it lists. */
  readonly listed: number;
  readonly failure: string | undefined;
}

/** @param operations at least so many are asked */
export async function runCanary(options: {
  readonly serverUrl: string;
  readonly database: string;
  readonly seed: number;
  readonly operations: number;
}): Promise<CanaryResult> {
  const { url, client, drop } = await createScratchDatabase(options.serverUrl, options.database);
  const counts = { operations: 0, schemas: 0, seen: 0, possible: 0, listed: 0 };
  let failure: string | undefined;
  try {
    for (let index = 0; counts.operations < options.operations && failure === undefined; index += 1) {
      const random = new Random(options.seed * 1_000_003 + index);
      const { sql, metadata } = randomSchema(random);
      await client.query('drop schema if exists public cascade; create schema public');
      // Some schemas are not valid, such as a table that inherits from a partitioned one.
      if (
        !(await client.query(sql).then(
          () => true,
          () => false,
        ))
      )
        continue;
      const catalog = await readDatabase({ connectionString: url }, [], loadReadBody);
      const read = readMetadata(metadata);
      const compiled = compile({ metadata: read.value, catalogs: { default: catalog }, serving: SERVING });
      const code = linkCode({ label: 'canary', generated: programOf(compiled.state.plan) });
      const connection = openSource(url, { maxConnections: 1, preparedStatements: 0 });
      counts.schemas += 1;
      try {
        const defect = await tryRoles(code, connection, counts);
        if (defect !== undefined)
          failure = `Case ${index} of seed ${options.seed}: ${defect}\n\n${sql}\n\n${JSON.stringify(metadata)}`;
      } finally {
        await connection.end();
      }
    }
  } finally {
    await drop();
  }
  return { ...counts, failure };
}

type Counts = { operations: number; seen: number; possible: number; listed: number };

async function tryRoles(
  code: GeneratedCode,
  connection: SourceConnection,
  counts: Counts,
): Promise<string | undefined> {
  const execution = {
    planner: createPlanner(code.program, SERVING),
    sources: new Map([['default', connection]]),
  };
  const known = new Map<string, ReturnType<typeof whoCan>['paths']>();
  const pathsOf = (canary: string) => {
    const [table, column] = canary.split(' ');
    const found = code.program.tables.find(({ shape }) => shape.name === table)!;
    const paths = known.get(canary) ?? whoCan(code, found, column!).paths;
    known.set(canary, paths);
    return paths;
  };
  for (const role of ROLES) {
    const session = { vocabulary: CANONICAL, role, backendOnly: false, variables: { 'x-engine-role': role } };
    const ask = async (query: string): Promise<string> => {
      counts.operations += 1;
      try {
        return await executeData({ query }, session, execution);
      } catch (error) {
        if (error instanceof EngineError) return '';
        throw error;
      }
    };
    const roots = code.program.roleSchema(role, false).roots;
    const seen = new Set<string>();
    for (const field of roots.query?.fields().values() ?? []) {
      for (const depth of [0, 1, 2]) {
        const text = selection(field, depth);
        if (text === undefined) continue;
        for (const canary of canariesIn(await ask(`{ ${text} }`))) {
          const own = pathsOf(canary).filter((path) => path.role === role && path.access === 'read');
          if (own.length === 0) return `${role} reads ${canary} by { ${text} }, and no path says it`;
          const isBelow =
            depth > 0 || own.some(({ fields }) => fields.some((each) => each.includes(field.name)));
          if (!isBelow) {
            // Computed fields are named by their tables; who reads every value knows what refers to it.
            const isByField = own.some(({ fields }) => fields.some((each) => each.includes('.field_')));
            const isReferredTo = canary.endsWith(' a') && own.some(({ via }) => via === 'table');
            if (!isByField && !isReferredTo)
              return `${role} reads ${canary} by ${field.name}, and the paths are ${JSON.stringify(own)}`;
          }
          if (!seen.has(canary)) {
            counts.seen += 1;
            if (own.every(({ possible }) => possible)) counts.possible += 1;
          }
          seen.add(canary);
        }
      }
    }
    for (const field of roots.mutation?.fields().values() ?? []) {
      if (!field.name.startsWith('update_')) continue;
      const returned = selection({ ...field, arguments: new Map() } as FieldDefinition, 2);
      if (returned === undefined || field.name.endsWith('_by_pk') || field.name.endsWith('_many')) continue;
      const named = namedType(
        [...field.arguments.values()].find(({ name }) => name === '_set')?.type ?? field.type,
      );
      const columns = named.kind === 'input' ? [...named.fields().keys()] : [];
      if (columns.length === 0) continue;
      // No row is changed that others read: the condition picks none, or the value is that of a canary no more.
      const set = `${columns[0]}: "changed"`;
      const query = `mutation { ${returned.replace(field.name, `${field.name}(where: {}, _set: {${set}})`)} }`;
      for (const canary of canariesIn(await ask(query))) {
        const own = pathsOf(canary).filter((path) => path.role === role && path.access === 'read');
        if (own.length === 0) return `${role} reads ${canary} by ${query}, and no path says it`;
      }
    }
  }
  for (const table of code.program.tables)
    for (const column of table.columns.keys())
      counts.listed += new Set(
        whoCan(code, table, column).paths.flatMap(({ role, access }) => (access === 'read' ? [role] : [])),
      ).size;
  return undefined;
}

/** Everything below a field; required arguments are texts and empty objects. undefined: nothing is below it. */
function selection(field: FieldDefinition, depth: number): string | undefined {
  const { name, type, meaning, arguments: args } = field;
  if (name.startsWith('__') || ['introspection', 'constant', 'typename'].includes(meaning.kind))
    return undefined;
  const given: string[] = [];
  for (const [argument, { type: wanted, defaultValue }] of args) {
    if (wanted.kind !== 'nonNull' || defaultValue !== undefined) continue;
    const inner = namedType(wanted);
    if (argument === 'id') given.push('id: 1');
    else if (inner.kind === 'input') given.push(`${argument}: {unused: ""}`);
    else return undefined;
  }
  const head = given.length > 0 ? `${name}(${given.join(', ')})` : name;
  const named = namedType(type);
  if (named.kind !== 'object') return head;
  const inside = [...named.fields().values()].flatMap((each) => {
    const isLeaf = namedType(each.type).kind !== 'object';
    const isPart = /^(?:nodes|aggregate|max|min|returning)$/.test(each.name);
    if (!isLeaf && !isPart && depth === 0) return [];
    return selection(each, isPart ? depth : depth - 1) ?? [];
  });
  return inside.length > 0 ? `${head} { ${inside.join(' ')} }` : undefined;
}
