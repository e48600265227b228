/** Names that generated files import: no table, function or source is called so in them. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { nameProgram } from '../../../../compiler/phases/5-emit/names.ts';

const folder = new URL('../../../../templates/', import.meta.url);

/** Names that the text of a template imports; those that it is given are left out. */
function importedNames(template: string): string[] {
  const text = template.replaceAll(/\{\{[#/]?(?:if|each|else)[^}]*\}\}/g, '');
  return [...text.matchAll(/^import (?:type )?\{ (.*) \} from/gm)].flatMap(([, names]) =>
    names!
      .split(', ')
      .map((name) => name.replace(/^type /, '').replace(/^.* as /, ''))
      .filter((name) => /^\w+$/.test(name)),
  );
}

const imported = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.hbs'))
  .flatMap((path) => importedNames(readFileSync(new URL(path, folder), 'utf8')));

test('the templates import from the contract', () => {
  expect(imported).toEqual(expect.arrayContaining(['Row', 'table', 'standardFields', 'exact']));
});

test.each([...new Set(imported)])(
  'a table and a function called %s have another name in generated files',
  (name) => {
    const object = { schema: 'public', name };
    const names = nameProgram({
      sources: [{ name: 'default', tables: [object], functions: [object] }],
      events: [],
      remotes: [],
      saved: [],
    });
    expect(names.table('default', 'public', name).identifier).not.toBe(name);
    expect(names.function('default', 'public', name).identifier).not.toBe(name);
  },
);
