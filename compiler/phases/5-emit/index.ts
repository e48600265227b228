/** Phase 5: the plan to files, as texts by path, sorted. Without disk; the same plan gives the same bytes. */
import { createHash } from 'node:crypto';
import { lazy } from '../../../runtime/core/remember.ts';
import type { Diagnostic } from '../../../runtime/diagnostics/diagnostic.ts';
import type { InconsistentObject } from '../../../runtime/metadata/inconsistency.ts';
import type { Memory } from '../../memory/memory.ts';
import type { Plan, PlannedSource, PlannedTable, ProgramPlan } from '../../model/plan.ts';
import { emitAccess } from './access.ts';
import { emitActions } from './action.ts';
import { emitEvents, hasEvents } from './events.ts';
import { emitFunction } from './function.ts';
import { nameLedgers, nameProgram, type ProgramNames } from './names.ts';
import { emitRemote } from './remote.ts';
import { emitSaved } from './saved.ts';
import { emitTable, entries, properties } from './table.ts';
import { templates } from './templates.ts';

export type Files = ReadonlyMap<string, string>;

export interface Emitted {
  readonly files: Files;
  /** SHA-256 of each file that the manifest lists. */
  readonly hashes: ReadonlyMap<string, string>;
}

interface Emission {
  /** Every file. Printed on the first call. */
  readonly files: () => Emitted;
  /** The served files alone. Printed on the first call. */
  readonly programFiles: () => Files;
  /** The last printed files: these, or those of an earlier compile. */
  readonly last: () => Emitted | undefined;
}

/**
 * Prints on demand, because of many changes only the last is printed.
 * @param before the last printed files of an earlier compile, released once these are printed
 */
export function emitOnDemand(
  plans: { readonly served: () => ProgramPlan; readonly complete: () => Plan },
  diagnostics: readonly Diagnostic[],
  version: string,
  memory: Memory,
  before: Emitted | undefined,
): Emission {
  let last = before;
  const files = lazy(() => {
    const inconsistencies = diagnostics.flatMap(({ inconsistency }) => inconsistency ?? []);
    last = emit(plans.complete(), inconsistencies, version, memory, last);
    return last;
  });
  return { files, programFiles: lazy(() => emitProgram(plans.served(), memory)), last: () => last };
}

/** Prints the plan, and what could not be served. */
export function emit(
  plan: Plan,
  inconsistencies: readonly InconsistentObject[],
  version: string,
  memory: Memory,
  previous: Emitted | undefined,
): Emitted {
  const program = emitProgram(plan, memory);
  const reports = new Map([
    ['README.md', templates.readme({ openBraces: '{{' })],
    ['inconsistencies.json', `${JSON.stringify(inconsistencies, null, 2)}\n`],
  ]);
  const paths = nameLedgers(plan.ledgers);
  plan.ledgers.forEach((ledger, index) => {
    const text = memory.remember('text', ledger, [], () => `${ledger.facts.join('\n')}\n`);
    reports.set(paths[index]!, text);
  });
  const hashes = hashFiles(program, previous);
  const manifest = emitManifest(plan, hashes, [...reports.keys()].sort(), inconsistencies.length, version);
  const files = new Map([...program, ...reports, ['manifest.json', manifest]]);
  return { files: sortByPath(files, previous?.files), hashes };
}

/** The part that is served: `index.ts` and what it imports; not sorted. */
function emitProgram(plan: ProgramPlan, memory: Memory): Files {
  const names = memory.remember('names', memory.program, namesOf(plan), () => nameProgram(plan));
  const files = new Map<string, string>();
  files.set('index.ts', emitIndex(plan, names, memory));
  for (const source of plan.sources) emitSource(source, names, memory, files);
  if (hasEvents(plan.events))
    for (const [path, text] of emitEvents(plan.events, names)) files.set(path, text);
  for (const remote of plan.remotes ?? []) {
    const texts = memory.remember('files', remote, [names], () => emitRemote(remote, names));
    for (const [path, text] of texts) files.set(path, text);
  }
  if (plan.actions)
    for (const [path, text] of memory.remember('files', plan.actions, [names], () =>
      emitActions(plan.actions!, names),
    ))
      files.set(path, text);
  if (plan.saved) for (const [path, text] of emitSaved(plan.saved, names, memory)) files.set(path, text);
  return files;
}

/** Everything that the names of files and of what they export are made of. */
function namesOf({ sources, events, remotes = [], actions, saved }: ProgramPlan): readonly unknown[] {
  return [
    ...sources.flatMap(({ shape, tables, functions }) => [
      'source',
      shape.name,
      ...tables.flatMap((table) => [table.shape.schema, table.shape.name]),
      'functions',
      ...functions.flatMap((each) => [each.schema, each.name]),
    ]),
    'events',
    ...events.sources.flatMap(({ source, triggers }) => [source, ...triggers.map(({ name }) => name)]),
    'remotes',
    ...remotes.flatMap(({ name, roles }) => [name, ...Object.keys(roles), '']),
    'actions',
    ...(actions?.actions ?? []).map(({ name }) => name),
    'saved',
    ...(saved?.operations ?? []).flatMap(({ collection, name }) => [collection, name]),
  ];
}

/** @param sorted entries with mostly the same keys, in order */
function sortByPath<Value>(
  entries: ReadonlyMap<string, Value>,
  sorted: ReadonlyMap<string, unknown> | undefined,
): Map<string, Value> {
  if (sorted?.size === entries.size) {
    const result = new Map<string, Value>();
    for (const path of sorted.keys()) {
      const value = entries.get(path);
      if (value === undefined) break;
      result.set(path, value);
    }
    if (result.size === entries.size) return result;
  }
  return new Map([...entries].sort(([left], [right]) => (left < right ? -1 : 1)));
}

function hashFiles(files: Files, previous: Emitted | undefined): Map<string, string> {
  const hashes = new Map<string, string>();
  for (const [path, text] of files) {
    const known = previous?.files.get(path) === text ? previous.hashes.get(path) : undefined;
    hashes.set(path, known ?? createHash('sha256').update(text).digest('hex'));
  }
  return sortByPath(hashes, previous?.hashes);
}

function emitSource(
  { shape, tables, functions }: PlannedSource,
  names: ProgramNames,
  memory: Memory,
  files: Map<string, string>,
): void {
  const { types, ...head } = shape;
  files.set(
    `${names.source(shape.name)}/source.ts`,
    templates.source({
      name: shape.name,
      properties: properties(head, [
        'name',
        'kind',
        'naming',
        'arraysAsScalars',
        'postgres',
        'rootNamespace',
        'typePrefix',
        'typeSuffix',
      ]),
      types: entries(types, 2),
    }),
  );
  for (const table of tables) {
    const file = names.table(shape.name, table.shape.schema, table.shape.name);
    const texts = memory.remember('files', table, [file.path, file.identifier], () => [
      [`${file.path}.table.ts`, emitTable(table.shape, file)] as const,
      ...(hasRules(table) ? [[`${file.path}.access.ts`, emitAccess(table, file)] as const] : []),
    ]);
    for (const [path, text] of texts) files.set(path, text);
  }
  for (const each of functions) {
    const file = names.function(shape.name, each.schema, each.name);
    files.set(`${file.path}.ts`, emitFunction(each, file));
  }
}

/** A table that no role may use has no access file. */
function hasRules({ access }: PlannedTable): boolean {
  return Object.keys(access).length > 0;
}

function emitIndex(plan: ProgramPlan, names: ProgramNames, memory: Memory): string {
  const hasSaved = plan.saved !== undefined;
  const callsWebhooks = hasEvents(plan.events);
  const settings = properties(plan.settings, ['introspectionDisabledFor', 'limits', 'withoutAdmin']);
  const ruled = plan.sources.flatMap(({ tables }) => tables.map(hasRules)).join();
  const inputs = [names, hasSaved, callsWebhooks, JSON.stringify(settings), ruled];
  return memory.remember('index', memory.program, inputs, () =>
    templates.index({
      hasSaved,
      hasEvents: callsWebhooks,
      actions: (plan.actions?.actions ?? []).map(({ name }) => {
        const { identifier, path } = names.action(name);
        return { identifier, file: `./${path}.ts` };
      }),
      settings,
      sources: plan.sources.map(({ shape }) => ({
        identifier: names.sourceIdentifier(shape.name),
        file: `./${names.source(shape.name)}/source.ts`,
      })),
      functions: plan.sources.flatMap(({ shape, functions }) =>
        functions.map((each) => {
          const { identifier, path } = names.function(shape.name, each.schema, each.name);
          return { identifier, file: `./${path}.ts` };
        }),
      ),
      remotes: (plan.remotes ?? []).map(({ name }) => {
        const { identifier, path } = names.remote(name);
        return { identifier, file: `./${path}/remote.ts` };
      }),
      tables: plan.sources.flatMap(({ shape, tables }) =>
        tables.map((table) => {
          const { identifier, path } = names.table(shape.name, table.shape.schema, table.shape.name);
          return hasRules(table)
            ? { identifier: `${identifier}Access`, file: `./${path}.access.ts` }
            : { identifier, file: `./${path}.table.ts` };
        }),
      ),
    }),
  );
}

function emitManifest(
  plan: Plan,
  hashes: ReadonlyMap<string, string>,
  reports: readonly string[],
  inconsistencies: number,
  version: string,
): string {
  const head = {
    compiler: version,
    counts: {
      sources: plan.sources.length,
      tables: plan.sources.reduce((sum, { tables }) => sum + tables.length, 0),
      functions: plan.sources.reduce((sum, { functions }) => sum + functions.length, 0),
      roles: plan.ledgers.length,
      inconsistencies,
    },
  };
  // As JSON.stringify prints it, in a tenth of the time: thousands of files are usual.
  const lines = [...hashes].map(([path, hash]) => `    ${JSON.stringify(path)}: "${hash}"`);
  const others = reports.map((path) => `    ${JSON.stringify(path)}`);
  return `${JSON.stringify(head, null, 2).slice(0, -2)},
  "files": {\n${lines.join(',\n')}\n  },
  "reports": [\n${others.join(',\n')}\n  ]\n}\n`;
}
