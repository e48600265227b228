/** Phase 5: the plan to files, as texts by path, sorted. Without disk; the same plan gives the same bytes. */

import { createHash } from 'node:crypto';
import { printLines } from '../../../runtime/catalog/catalog-file.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import type { Diagnostic } from '../../../runtime/core/diagnostics/diagnostic.ts';
import type { InconsistentObject } from '../../../runtime/core/diagnostics/inconsistency.ts';
import { formatPath } from '../../../runtime/core/diagnostics/path.ts';
import { lazy } from '../../../runtime/core/remember.ts';
import { jsonText } from '../../../runtime/core/types.ts';
import type { Memory } from '../../memory/memory.ts';
import { reuser } from '../../memory/reuse.ts';
import type {
  Ledger,
  Plan,
  PlannedDatabase,
  PlannedSource,
  PlannedTable,
  ProgramPlan,
} from '../../model/plan.ts';
import type { Planned } from '../4-plan/index.ts';
import { emitAccess } from './access.ts';
import { emitActions } from './action.ts';
import { emitEvents, hasEvents } from './events.ts';
import { emitFunction } from './function.ts';
import { type FileNames, type Named, namedOf, nameLedgers, nameProgram, type ProgramNames } from './names.ts';
import { emitRemote } from './remote.ts';
import { emitRemoteRelationships } from './remote-relationships.ts';
import { emitSaved } from './saved.ts';
import { emitTable, entries, properties } from './table.ts';
import { type IndexContext, templates } from './templates.ts';

export type Files = ReadonlyMap<string, string>;

export interface Emitted {
  readonly files: Files;
  /** SHA-256 of each file that the manifest lists. */
  readonly hashes: ReadonlyMap<string, string>;
}

interface Emission {
  /** Every file. */
  readonly files: () => Files;
  /** The served files alone. */
  readonly programFiles: () => Files;
}

/** Code of what is kept and has no effect. */
const NOT_SERVED = messages.notServedYet({ kind: '', name: '' }).code;

/** The files, printed when they are asked for first. */
export function emit(
  plan: Planned,
  diagnostics: readonly Diagnostic[],
  version: string,
  memory: Memory,
): Emission {
  const inconsistencies = diagnostics.flatMap(({ inconsistency }) => inconsistency ?? []);
  const notServed = diagnostics.flatMap(({ code, path, message }) =>
    code === NOT_SERVED ? [`${formatPath(path)}: ${message}`] : [],
  );
  return {
    files: lazy(
      () => memory.update(emitFiles, memory, plan.complete(), inconsistencies, notServed, version).files,
    ),
    programFiles: lazy(() => emitProgram(plan.served(), memory)),
  };
}

/**
 * Prints the plan, and what could not be served.
 * @param last whose hashes are used again for the texts that are as before
 */
export function emitFiles(
  last: Emitted | undefined,
  memory: Memory,
  plan: Plan,
  inconsistencies: readonly InconsistentObject[],
  notServed: readonly string[],
  version: string,
): Emitted {
  const program = emitProgram(plan, memory);
  const reports = new Map([
    ['README.md', templates.readme({ openBraces: '{{' })],
    ['inconsistencies.json', `${jsonText(inconsistencies, '  ')}\n`],
  ]);
  if (notServed.length > 0) reports.set('not-served.json', `${JSON.stringify(notServed, null, 2)}\n`);
  reports.set('settings.json', `${JSON.stringify({ settings: plan.settingFacts }, null, 2)}\n`);
  for (const database of plan.databases) {
    const names = memory.call(nameProgram, memory.update(reuseNamed, memory, namedOf(plan)));
    reports.set(`${names.source(database.source)}/database.json`, memory.call(databaseText, database));
  }
  const paths = nameLedgers(plan.ledgers);
  plan.ledgers.forEach((ledger, index) => {
    reports.set(paths[index]!, memory.call(ledgerText, ledger));
  });
  if (plan.remotes) {
    const names = memory.call(nameProgram, memory.update(reuseNamed, memory, namedOf(plan)));
    for (const remote of plan.remotes) {
      const text = emitRemoteRelationships(remote, plan);
      if (text !== undefined) reports.set(`${names.remote(remote.name).path}/relationships.graphql`, text);
    }
  }
  const hashes = hashFiles(program, last);
  const manifest = emitManifest(plan, hashes, [...reports.keys()].sort(), inconsistencies.length, version);
  const files = new Map([...program, ...reports, ['manifest.json', manifest]]);
  return { files: sortByPath(files, last?.files), hashes };
}

function databaseText(database: PlannedDatabase): string {
  return `${printLines(database)}\n`;
}

function ledgerText({ facts }: Ledger): string {
  return `${facts.join('\n')}\n`;
}

/** The part that is served: `index.ts` and what it imports; not sorted. */
function emitProgram(plan: ProgramPlan, memory: Memory): Files {
  const names = memory.call(nameProgram, memory.update(reuseNamed, memory, namedOf(plan)));
  const files = new Map<string, string>();
  files.set('index.ts', emitIndex(plan, names, memory));
  for (const source of plan.sources) emitSource(source, names, memory, files);
  if (hasEvents(plan.events))
    for (const [path, text] of emitEvents(plan.events, names)) files.set(path, text);
  for (const remote of plan.remotes ?? []) {
    for (const [path, text] of memory.call(emitRemote, remote, names)) files.set(path, text);
  }
  if (plan.actions)
    for (const [path, text] of memory.call(emitActions, plan.actions, names)) files.set(path, text);
  if (plan.saved) for (const [path, text] of emitSaved(plan.saved, names, memory)) files.set(path, text);
  return files;
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
  const { types, distribution, ...head } = shape;
  files.set(
    `${names.source(shape.name)}/source.ts`,
    templates.source({
      name: shape.name,
      properties: properties(head, [
        'name',
        'kind',
        'naming',
        'earlyNames',
        'arraysAsScalars',
        'extensions',
        'postgres',
        'rootNamespace',
        'typePrefix',
        'typeSuffix',
        'streamHorizon',
        'recordWrites',
        'queryTags',
        'withoutBelow',
      ]),
      distribution: distribution
        ? [
            {
              tables: entries(distribution.tables, 3),
              functions: entries(distribution.functions ?? {}, 3),
              fingerprint: distribution.fingerprint,
            },
          ]
        : [],
      types: entries(types, 2),
    }),
  );
  for (const table of tables) {
    const file = names.table(shape.name, table.shape.schema, table.shape.name);
    for (const [path, text] of memory.call(emitTableFiles, table, file.path, file.identifier))
      files.set(path, text);
  }
  for (const each of functions) {
    const file = names.function(shape.name, each.schema, each.name);
    files.set(`${file.path}.ts`, emitFunction(each, file));
  }
}

function emitTableFiles(table: PlannedTable, path: string, identifier: string) {
  const file = { path, identifier };
  return [
    [`${path}.table.ts`, emitTable(table.shape, file)] as const,
    ...(hasRules(table) ? [[`${path}.access.ts`, emitAccess(table, file)] as const] : []),
  ];
}

/** A table that no role may use has no access file. */
function hasRules({ access }: PlannedTable): boolean {
  return Object.keys(access).length > 0;
}

const reuseNamed = reuser<Named>();
const reuseIndex = reuser<IndexContext>();

function emitIndex(plan: ProgramPlan, names: ProgramNames, memory: Memory): string {
  const context: IndexContext = {
    hasSaved: plan.saved !== undefined,
    hasEvents: hasEvents(plan.events),
    settings: properties(plan.settings, [
      'vocabulary',
      'introspectionDisabledFor',
      'limits',
      'unverifiedHosts',
      'withoutAdmin',
    ]),
    actions: (plan.actions?.actions ?? []).map(({ name }) => imported(names.action(name))),
    sources: plan.sources.map(({ shape }) => ({
      identifier: names.sourceIdentifier(shape.name),
      file: `./${names.source(shape.name)}/source.ts`,
    })),
    functions: plan.sources.flatMap(({ shape, functions }) =>
      functions.map((each) => imported(names.function(shape.name, each.schema, each.name))),
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
  };
  return memory.call(printIndex, memory.update(reuseIndex, memory, context));
}

function printIndex(context: IndexContext): string {
  return templates.index(context);
}

function imported({ identifier, path }: FileNames) {
  return { identifier, file: `./${path}.ts` };
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
  // The output of JSON.stringify, in a tenth of the time: projects have thousands of files.
  const lines = [...hashes].map(([path, hash]) => `    ${JSON.stringify(path)}: "${hash}"`);
  const others = reports.map((path) => `    ${JSON.stringify(path)}`);
  return `${JSON.stringify(head, null, 2).slice(0, -2)},
  "files": {\n${lines.join(',\n')}\n  },
  "reports": [\n${others.join(',\n')}\n  ]\n}\n`;
}
