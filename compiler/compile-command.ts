/** `engine compile`: metadata and catalogs to a folder of generated files. */
import { ConfigurationError, readConfiguration, servingOptions } from '../runtime/configuration.ts';
import type { SavedOptions } from '../runtime/core/saved.ts';
import { type CatalogOptions, readCatalog } from './catalogs.ts';
import { type CommandContext, UsageError } from './command.ts';
import { type Diagnostic, hasErrors } from './diagnostics/diagnostic.ts';
import { renderDiagnostic } from './diagnostics/render.ts';
import { type CompileResult, compile } from './index.ts';
import type { Metadata } from './model/metadata.ts';
import { compareFolder, type Difference, writeFolder } from './output-folder.ts';
import { type FileResult, readMetadataFile } from './phases/1-read/index.ts';
import { readCatalogFile } from './phases/2-introspect/index.ts';
import type { CatalogResult, NamingOptions } from './phases/3-resolve/index.ts';
import { checkTypes } from './type-check.ts';

export interface CompileOptions {
  readonly metadata: string;
  readonly out: string;
  readonly catalog?: string;
  /** NAME → URL. */
  readonly source?: ReadonlyMap<string, string>;
  readonly check?: boolean;
  readonly strict?: boolean;
  readonly format: 'text' | 'json';
  readonly databaseUrl?: string;
  readonly experimentalFeatures?: string;
  readonly defaultNamingConvention?: string;
}

/** Input without which there is nothing worth writing: the folder stays as it is. */
const UNREADABLE = new Set([
  'source-unreachable',
  'metadata-file-unreadable',
  'metadata-json-invalid',
  'metadata-version-unsupported',
]);

/** From this many tables on, steps are announced, because they take seconds. */
const MANY_TABLES = 100;

/** Runs the command and returns its exit status: 0, or 1 for errors in the input and for stale files. */
export async function compileCommand(options: CompileOptions, context: CommandContext): Promise<number> {
  const read = readMetadataFile(options.metadata);
  const { catalogOptions, naming, serving } = await readSettings(options, read.value, context);
  const catalogs = await readCatalogs(read.value, catalogOptions, context);
  const announce = (step: string) => {
    const tables = read.value.sources.reduce((sum, { tables }) => sum + tables.length, 0);
    if (tables >= MANY_TABLES) context.stderr(`${step} …\n`);
  };
  announce('compiling');
  const result = compile({ metadata: read.value, catalogs, origin: read.origin, naming, serving });
  const diagnostics = judge([...read.diagnostics, ...result.diagnostics], options.strict ?? false);
  announce('checking the types of the generated code');
  const defects = checkTypes(result.files).map(({ file, line, message }) => `${file}:${line}: ${message}`);
  const unreadable = diagnostics.some(({ code }) => UNREADABLE.has(code));
  const difference = finish(options, result, unreadable || defects.length > 0);
  report({ options, context, read, result, diagnostics, defects, difference });
  const stale = options.check === true && difference !== undefined && isDifferent(difference);
  return hasErrors(diagnostics) || defects.length > 0 || stale ? 1 : 0;
}

/** The catalogs to read, names and serving options, as the command line and the environment say. @throws UsageError */
export async function readSettings(
  options: Pick<
    CompileOptions,
    'source' | 'catalog' | 'databaseUrl' | 'experimentalFeatures' | 'defaultNamingConvention'
  >,
  metadata: Metadata,
  { environment }: CommandContext,
): Promise<{ catalogOptions: CatalogOptions; naming: NamingOptions; serving: SavedOptions }> {
  const unknown = [...(options.source?.keys() ?? [])].filter(
    (name) => !metadata.sources.some((source) => source.name === name),
  );
  if (unknown.length > 0 && metadata.sources.length > 0)
    throw new UsageError(
      `The metadata has no source "${unknown.join('", "')}". Its sources: ${metadata.sources.map(({ name }) => name).join(', ')}.`,
    );
  const { experimentalFeatures, defaultNamingConvention } = options;
  let configuration: ReturnType<typeof readConfiguration>;
  try {
    configuration = readConfiguration({ experimentalFeatures, defaultNamingConvention }, environment);
  } catch (error) {
    if (error instanceof ConfigurationError) throw new UsageError(error.message);
    throw error;
  }
  const addresses = new Map(options.source);
  if (options.databaseUrl !== undefined && !addresses.has('default'))
    addresses.set('default', options.databaseUrl);
  const saved = options.catalog === undefined ? undefined : await readCatalogFile(options.catalog);
  return {
    catalogOptions: {
      ...(saved && { saved }),
      addresses,
      environment,
      allowedFolder: configuration.dynamicSecretsAllowedPathPrefix,
    },
    serving: servingOptions(configuration),
    naming: {
      enabled: configuration.experimentalFeatures.includes('naming_convention'),
      default: configuration.defaultNamingConvention as NamingOptions['default'],
    },
  };
}

/** Reads the catalogs of all sources at once; a slow one is named. */
export async function readCatalogs(
  metadata: Metadata,
  options: CatalogOptions,
  context: CommandContext,
): Promise<Record<string, CatalogResult>> {
  const entries = metadata.sources.map(async (source) => {
    const slow = setTimeout(() => context.stderr(`reading the catalog of source "${source.name}" …\n`), 1000);
    try {
      return [source.name, await readCatalog(source, options)] as const;
    } finally {
      clearTimeout(slow);
    }
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** With --strict, what has no effect because its key is unknown is an error. */
function judge(diagnostics: readonly Diagnostic[], strict: boolean): Diagnostic[] {
  return diagnostics.map((diagnostic) =>
    strict && diagnostic.code === 'unknown-key' ? { ...diagnostic, severity: 'error' } : diagnostic,
  );
}

function finish(
  options: CompileOptions,
  { files }: CompileResult,
  unusable: boolean,
): Difference | undefined {
  if (unusable) return undefined;
  return options.check ? compareFolder(options.out, files) : writeFolder(options.out, files);
}

function isDifferent({ changed, extra }: Difference): boolean {
  return changed.length > 0 || extra.length > 0;
}

interface Outcome {
  readonly options: CompileOptions;
  readonly context: CommandContext;
  readonly read: FileResult;
  readonly result: CompileResult;
  readonly diagnostics: readonly Diagnostic[];
  readonly defects: readonly string[];
  /** Absent when nothing was written or compared. */
  readonly difference: Difference | undefined;
}

function report(outcome: Outcome): void {
  if (outcome.options.format === 'json') reportJson(outcome);
  else reportText(outcome);
}

function reportJson({ options, context, read, result, diagnostics, defects, difference }: Outcome): void {
  const answer = {
    diagnostics: diagnostics.map((diagnostic) => ({
      ...diagnostic,
      object: read.origin.describe(diagnostic.path),
    })),
    defects,
    files: result.files.size,
    [options.check ? 'stale' : 'written']: difference?.changed ?? [],
    [options.check ? 'extra' : 'deleted']: difference?.extra ?? [],
  };
  context.stdout(`${JSON.stringify(answer, null, 2)}\n`);
}

function reportText({ options, context, read, result, diagnostics, defects, difference }: Outcome): void {
  for (const diagnostic of diagnostics)
    context.stderr(`${renderDiagnostic(diagnostic, read.origin.describe)}\n\n`);
  if (defects.length > 0) {
    const text =
      'The generated code does not type-check. This is a defect of Engine, not of your project; please report it.';
    context.stderr(`${text}\n${defects.map((defect) => `  ${defect}\n`).join('')}`);
  }
  const { sources } = result.state.plan;
  const tables = sources.reduce((sum, source) => sum + source.tables.length, 0);
  const summary = `${count(tables, 'table')}, ${count(result.state.plan.ledgers.length, 'role')}`;
  if (!difference) {
    context.stderr(`Nothing was ${options.check ? 'compared' : 'written'}.\n`);
  } else if (!options.check) {
    const deleted = difference.extra.length > 0 ? `, ${difference.extra.length} deleted` : '';
    context.stdout(
      `${summary} → ${options.out}: ${count(result.files.size, 'file')}, ${difference.changed.length} changed${deleted}\n`,
    );
  } else if (isDifferent(difference)) {
    for (const path of difference.changed) context.stdout(`stale      ${options.out}/${path}\n`);
    for (const path of difference.extra) context.stdout(`not needed ${options.out}/${path}\n`);
    context.stderr(
      `${options.out} is not what this metadata compiles to. Run the same command without --check.\n`,
    );
  } else {
    context.stdout(`${summary}: ${options.out} is up to date\n`);
  }
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
