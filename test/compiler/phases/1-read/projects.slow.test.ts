import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exportMetadata, readMetadata, readMetadataFile } from '../../../../compiler/phases/1-read/index.ts';
import { PROJECTS } from '../../../harness/public-cases.ts';

const names = existsSync(PROJECTS)
  ? readdirSync(PROJECTS).filter((name) => existsSync(join(PROJECTS, name, 'metadata.json')))
  : [];

describe.skipIf(names.length === 0)('real projects', () => {
  test.each(names)('%s: the exported JSON is read without a word, and loses nothing', (name) => {
    const file = join(PROJECTS, name, 'metadata.json');
    const { value, diagnostics } = readMetadataFile(file);
    expect(diagnostics).toEqual([]);
    const input = JSON.parse(readFileSync(file, 'utf8'));
    const exported = leaves(JSON.parse(JSON.stringify(exportMetadata(value))));
    expect([...leaves(input)].filter((leaf) => !exported.has(leaf))).toEqual([]);
  });

  test.each(names)('%s: an export reads back to the same export', (name) => {
    const first = JSON.stringify(
      exportMetadata(readMetadataFile(join(PROJECTS, name, 'metadata.json')).value),
    );
    const again = readMetadata(JSON.parse(first));
    expect(again.diagnostics).toEqual([]);
    expect(JSON.stringify(exportMetadata(again.value))).toBe(first);
  });

  const directories = names.filter((name) => existsSync(join(PROJECTS, name, 'metadata')));
  test.each(directories)('%s: the directory says what the JSON says', (name) => {
    const json = readMetadataFile(join(PROJECTS, name, 'metadata.json'));
    const directory = readMetadataFile(join(PROJECTS, name, 'metadata'));
    expect(directory.diagnostics.filter(({ code }) => code !== 'action-sdl-ignored')).toEqual([]);
    expect(JSON.stringify(exportMetadata(directory.value))).toBe(JSON.stringify(exportMetadata(json.value)));
  });

  test.each(directories)('%s: every table and permission of the directory has its file and line', (name) => {
    const { value, origin } = readMetadataFile(join(PROJECTS, name, 'metadata'));
    for (const table of value.sources.flatMap((source) => source.tables)) {
      for (const entry of [table, ...table.select_permissions, ...table.object_relationships]) {
        const [key, name] =
          'role' in entry ? ['role', entry.role] : 'name' in entry ? ['name', entry.name] : ['table', ''];
        const { file, line, column } = origin.locate([...entry.path, key])!;
        const text = readFileSync(file, 'utf8').split('\n')[line - 1]!;
        expect(text.slice(column - 1)).toMatch(new RegExp(`^"?${key}"?: *["']?${name}["']?`));
      }
    }
  });
});

/**
 * The values in a document that must survive, as sets of `path=value` with list indexes left out: reading sorts lists.
 * Defaults and the forms that normalising rewrites are not among them.
 */
function leaves(document: object): Set<string> {
  const found = new Set<string>();
  const walk = (value: unknown, path: string): void => {
    if (Array.isArray(value)) for (const item of value) walk(item, path);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) walk(inner, `${path}.${key}`);
    } else if (value !== null && value !== false) found.add(normalised(`${path}=${JSON.stringify(value)}`));
  };
  walk(document, '');
  return found;
}

function normalised(leaf: string): string {
  return leaf
    .replace(/foreign_key_constraint_on(\.columns?)?=/, 'foreign_key_constraint_on=')
    .replace(/configuration\.custom_column_names\.([^=]+)=/, 'configuration.column_config.$1.custom_name=');
}
