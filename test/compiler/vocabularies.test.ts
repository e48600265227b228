/** Compiles of two words one after the other: a compile is a function of its input. */
import { expect, test } from 'vitest';
import { compile } from '../../compiler/index.ts';
import { CANONICAL, Vocabulary } from '../../runtime/core/vocabulary.ts';
import { exportMetadata } from '../../runtime/metadata/export-metadata.ts';
import { readMetadata } from '../../runtime/metadata/read-metadata.ts';
import { inVocabulary, outOfVocabulary } from '../harness/vocabulary.ts';

const ACME = new Vocabulary('acme');

const METADATA = JSON.stringify({
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      tables: [],
      configuration: {
        connection_info: { database_url: { from_env: 'DATABASE' }, isolation_level: 'read-committed' },
      },
      customization: { naming_convention: 'engine-default' },
    },
  ],
  remote_schemas: [
    {
      name: 'elsewhere',
      definition: { url: 'http://localhost', timeout_seconds: 60 },
      permissions: [
        {
          role: 'user',
          definition: {
            schema: 'type Query { echo(who: String @preset(value: "X-Engine-User-Id")): String }',
          },
        },
        {
          role: 'listed',
          definition: { schema: 'type Query { all(who: [String] @preset(value: "x-engine-ids")): String }' },
        },
      ],
      remote_relationships: [],
    },
  ],
});
const REMOTES = { elsewhere: { sdl: 'type Query { echo(who: String): String all(who: [String]): String }' } };

function compiled(
  metadata: string,
  vocabulary: Vocabulary,
  previous?: ReturnType<typeof compile>,
): ReturnType<typeof compile> {
  const { value, diagnostics } = readMetadata(JSON.parse(metadata), { vocabulary });
  expect(diagnostics).toEqual([]);
  const catalog = { error: 'not read' };
  return compile({ metadata: value, vocabulary, catalogs: { default: catalog }, remotes: REMOTES }, previous);
}

const outcome = ({ files, diagnostics }: ReturnType<typeof compile>) => ({
  files: Object.fromEntries(files),
  diagnostics,
});

test('in turn, with the memory of the compile before, they are as alone', () => {
  const texts = [CANONICAL, ACME].map(
    (vocabulary) => [vocabulary, inVocabulary(METADATA, vocabulary.word)] as const,
  );
  let previous: ReturnType<typeof compile> | undefined;
  for (const [vocabulary, metadata] of [...texts, ...texts]) {
    const alone = outcome(compiled(metadata, vocabulary));
    previous = compiled(metadata, vocabulary, previous);
    expect(outcome(previous), vocabulary.word).toEqual(alone);
    expect(JSON.stringify(alone.files)).toContain(`@preset(value: \\"${vocabulary.titled('User-Id')}\\")`);
  }
});

test('the same text means what its word makes of it', () => {
  const read = compiled(METADATA, CANONICAL);
  const acme = readMetadata(JSON.parse(METADATA), { vocabulary: ACME });
  expect(acme.diagnostics.map(({ code }) => code)).toContain('metadata-value-invalid');
  const foreign = compile({
    metadata: readMetadata(JSON.parse(METADATA)).value,
    vocabulary: ACME,
    catalogs: { default: { error: 'not read' } },
    remotes: REMOTES,
  });
  // Not a session variable of this word: the one is refused as foreign, and with it the other.
  expect(foreign.diagnostics.filter(({ message }) => message.includes('another vocabulary'))).toHaveLength(2);
  expect(read.diagnostics.filter(({ message }) => message.includes('another vocabulary'))).toEqual([]);
});

test('exports have the word of the text that was read', () => {
  const texts = [CANONICAL, ACME].map((vocabulary) => {
    const text = inVocabulary(METADATA, vocabulary.word);
    const { value } = readMetadata(JSON.parse(text), { vocabulary });
    return outOfVocabulary(JSON.stringify(exportMetadata(value)), vocabulary.word);
  });
  expect(texts[1]).toBe(texts[0]);
  expect(texts[0]).toContain('engine-default');
});
