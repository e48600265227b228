/** Phase 5: the plan to files, as texts by path, sorted. Without disk; the same plan gives the same bytes. */
import { createHash } from 'node:crypto';
import type { InconsistentObject } from '../../model/inconsistency.ts';
import type { Plan, PlannedSource } from '../../model/plan.ts';
import { emitAccess } from './access.ts';
import { emitFunction } from './function.ts';
import { nameProgram, type ProgramNames } from './names.ts';
import { emitResolvers } from './resolvers.ts';
import { emitTable, entries, properties } from './table.ts';
import { templates } from './templates.ts';

export type Files = ReadonlyMap<string, string>;

/** Prints the plan, and what could not be served. */
export function emit(plan: Plan, inconsistencies: readonly InconsistentObject[], version: string): Files {
  const names = nameProgram(plan);
  const files = new Map<string, string>();
  files.set('README.md', templates.readme({ openBraces: '{{' }));
  files.set('index.ts', emitIndex(plan, names));
  files.set('inconsistencies.json', `${JSON.stringify(inconsistencies, null, 2)}\n`);
  for (const source of plan.sources) emitSource(source, names, files);
  for (const { role, facts } of plan.ledgers) files.set(names.ledger(role), `${facts.join('\n')}\n`);
  files.set('manifest.json', emitManifest(plan, files, inconsistencies.length, version));
  return new Map([...files].sort(([left], [right]) => (left < right ? -1 : 1)));
}

function emitSource(
  { shape, tables, functions }: PlannedSource,
  names: ProgramNames,
  files: Map<string, string>,
): void {
  const { types, ...head } = shape;
  files.set(
    `${names.source(shape.name)}/source.ts`,
    templates.source({
      name: shape.name,
      properties: properties(head, ['name', 'kind', 'naming', 'rootNamespace', 'typePrefix', 'typeSuffix']),
      types: entries(types),
    }),
  );
  for (const table of tables) {
    const file = names.table(shape.name, table.shape.schema, table.shape.name);
    files.set(`${file.path}.table.ts`, emitTable(table.shape, file));
    files.set(`${file.path}.access.ts`, emitAccess(table, file));
    files.set(`${file.path}.resolvers.ts`, emitResolvers(table, file));
  }
  for (const each of functions) {
    const file = names.function(shape.name, each.shape.schema, each.shape.name);
    files.set(`${file.path}.ts`, emitFunction(each, file));
  }
}

function emitIndex(plan: Plan, names: ProgramNames): string {
  return templates.index({
    settings: properties(plan.settings, ['introspectionDisabledFor', 'limits']),
    sources: plan.sources.map(({ shape }) => ({
      identifier: names.sourceIdentifier(shape.name),
      file: `./${names.source(shape.name)}/source.ts`,
    })),
    functions: plan.sources.flatMap(({ shape, functions }) =>
      functions.map((each) => {
        const { identifier, path } = names.function(shape.name, each.shape.schema, each.shape.name);
        return { identifier: `${identifier}Resolvers`, file: `./${path}.ts` };
      }),
    ),
    tables: plan.sources.flatMap(({ shape, tables }) =>
      tables.map((table) => {
        const { identifier, path } = names.table(shape.name, table.shape.schema, table.shape.name);
        return { identifier: `${identifier}Resolvers`, file: `./${path}.resolvers.ts` };
      }),
    ),
  });
}

function emitManifest(
  plan: Plan,
  files: ReadonlyMap<string, string>,
  inconsistencies: number,
  version: string,
): string {
  const hashes = [...files]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([path, text]) => [path, createHash('sha256').update(text).digest('hex')]);
  const manifest = {
    compiler: version,
    counts: {
      sources: plan.sources.length,
      tables: plan.sources.reduce((sum, { tables }) => sum + tables.length, 0),
      functions: plan.sources.reduce((sum, { functions }) => sum + functions.length, 0),
      roles: plan.ledgers.length,
      inconsistencies,
    },
    files: Object.fromEntries(hashes),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
