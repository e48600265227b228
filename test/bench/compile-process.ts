/** One compile in a process of its own, step by step: memory that another project needed does not count. */

import { checkTypes } from '../../compiler/cli/type-check.ts';
import { type CompileInput, compile } from '../../compiler/index.ts';
import { readMetadataFile } from '../../compiler/phases/1-read/index.ts';
import { readCatalog } from '../../compiler/phases/2-introspect/index.ts';
import { CANONICAL } from '../../runtime/core/vocabulary.ts';
import type { Metadata } from '../../runtime/metadata/metadata.ts';
import { createLoader } from '../../runtime/program/loader.ts';

export interface CompileTask {
  readonly metadata: string;
  readonly databaseUrl: string;
}

/** Times in milliseconds, memory in megabytes (10⁶ bytes). */
export interface CompileMeasurement {
  readonly tables: number;
  readonly files: number;
  readonly bytes: number;
  /** Metadata from its files. */
  readonly read: number;
  /** The catalog from the database. */
  readonly introspect: number;
  readonly compile: number;
  /** Evaluating the files, as a server does. */
  readonly load: number;
  /** The same metadata with one permission changed, given the first result. */
  readonly compileChange: number;
  readonly loadChange: number;
  /** Resident memory at its highest, up to here. */
  readonly peakMemory: number;
  /** What `engine compile` does besides, and no server. */
  readonly checkTypes: number;
  readonly peakMemoryWithTypes: number;
}

process.once('message', ({ metadata, databaseUrl }: CompileTask) => {
  measure(metadata, databaseUrl).then(
    (measurement) => process.send!(measurement, () => process.disconnect()),
    (error: Error) => {
      process.stderr.write(`${error.stack}\n`);
      process.exit(1);
    },
  );
});

async function measure(path: string, databaseUrl: string): Promise<CompileMeasurement> {
  const read = await timed(() => readMetadataFile(path));
  const { value: metadata, origin } = read.result;
  const [source] = metadata.sources;
  const options = {
    addresses: new Map([[source!.name, databaseUrl]]),
    environment: {},
    vocabulary: CANONICAL,
  };
  const catalog = await timed(() => readCatalog(source!, options));
  const input: CompileInput = { metadata, origin, catalogs: { [source!.name]: catalog.result } };
  const first = await timed(() => compile(input));
  const loader = createLoader();
  const load = await timed(() => loader.load(first.result.files));
  const changed = { ...input, metadata: changePermission(metadata) };
  const second = await timed(() => compile(changed, first.result));
  const loadChange = await timed(() => loader.load(second.result.files));
  const peakMemory = peakMegabytes();
  const types = await timed(() => checkTypes(first.result.files));
  return {
    tables: source!.tables.length,
    files: first.result.files.size,
    bytes: [...first.result.files.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    read: read.milliseconds,
    introspect: catalog.milliseconds,
    compile: first.milliseconds,
    load: load.milliseconds,
    compileChange: second.milliseconds,
    loadChange: loadChange.milliseconds,
    peakMemory,
    checkTypes: types.milliseconds,
    peakMemoryWithTypes: peakMegabytes(),
  };
}

async function timed<Result>(
  run: () => Result | Promise<Result>,
): Promise<{ readonly result: Result; readonly milliseconds: number }> {
  const start = performance.now();
  const result = await run();
  return { result, milliseconds: performance.now() - start };
}

/** The metadata with another limit on the first select permission that there is. */
function changePermission(metadata: Metadata): Metadata {
  const changed = structuredClone(metadata);
  for (const { tables } of changed.sources) {
    for (const { select_permissions: permissions } of tables) {
      const [first] = permissions;
      if (!first) continue;
      Object.assign(first.permission, { limit: (first.permission.limit ?? 0) + 1 });
      return changed;
    }
  }
  return changed;
}

function peakMegabytes(): number {
  return (process.resourceUsage().maxRSS * 1024) / 1e6;
}
