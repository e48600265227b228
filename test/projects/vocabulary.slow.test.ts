/** The real projects in another vocabulary: the same diagnostics, the same generated files, and the export in the project's own spelling. */
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { SourceCatalog } from '../../runtime/catalog/catalog.ts';
import { readDatabase } from '../../runtime/catalog/index.ts';
import { readMetadata } from '../../runtime/metadata/read-metadata.ts';
import {
  loadProject,
  projectNames,
  projectsPresent,
  readProjectFile,
  remoteSchemasOf,
} from '../harness/real-project.ts';
import { inVocabulary, outOfVocabulary } from '../harness/vocabulary.ts';
import type { ProjectInput, ProjectOutput } from '../harness/vocabulary-project.ts';

const WORD = 'acme';

describe.skipIf(!projectsPresent)('real projects', () => {
  test.each(projectNames)('%s', { timeout: 600_000 }, async (name) => {
    const metadata = readProjectFile(name, 'metadata.json');
    const remotes = remoteSchemasOf(name);
    const catalogs = await catalogsOf(name, metadata);
    const usual = inWord('engine', { metadata, catalogs, remotes });
    const other = inWord(WORD, { metadata: inVocabulary(metadata, WORD), catalogs, remotes });
    expect(inVocabulary(metadata, WORD)).not.toBe(metadata);
    expect(other.exported).toBe(inVocabulary(usual.exported, WORD));
    expect(JSON.parse(outOfVocabulary(JSON.stringify(other.diagnostics), WORD))).toEqual(usual.diagnostics);
    expect(filesOf(other.files)).toEqual(filesOf(usual.files));
  });
});

/** Canonical as they are, but for texts of users; without the line that names the vocabulary, and the hashes. */
function filesOf(files: ProjectOutput['files']): ProjectOutput['files'] {
  return Object.fromEntries(
    Object.entries(files)
      .filter(([path]) => path !== 'manifest.json')
      .map(([path, text]) => [
        path,
        outOfVocabulary(path === 'index.ts' ? text.replace(`  vocabulary: "${WORD}",\n`, '') : text, WORD),
      ]),
  );
}

function inWord(word: string, input: ProjectInput): ProjectOutput {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', 'test/harness/vocabulary-project.ts', word],
    { encoding: 'utf8', input: JSON.stringify(input), maxBuffer: 2 ** 30 },
  );
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as ProjectOutput;
}

async function catalogsOf(name: string, metadata: string): Promise<Record<string, SourceCatalog>> {
  const urls = await loadProject(name);
  const catalogs: Record<string, SourceCatalog> = {};
  for (const source of readMetadata(JSON.parse(metadata)).value.sources) {
    const enumTables = source.tables.filter(({ is_enum }) => is_enum).map(({ table }) => table);
    catalogs[source.name] = await readDatabase({ connectionString: urls.get(source.name)! }, enumTables);
  }
  return catalogs;
}
