/** Names that generated files import: no table, function or source is called so in them. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { nameProgram, nameRules } from '../../../../compiler/phases/5-emit/names.ts';

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

test('rules of an access file have names that differ from each other and from all else in the file', () => {
  const places = ['a-b_select', 'a_b_select', 'a.b_select', 'ticket', 'ticket_access', 'access', '1_select'];
  const names = nameRules(places, { path: 'ticket', identifier: 'ticket' });
  expect(new Set([...names, 'access', 'EVERY_ROW', 'ticket', 'ticketAccess']).size).toBe(places.length + 4);
  for (const name of names) expect(name).toMatch(/^[A-Za-z_$][A-Za-z0-9_$]*$/);
  expect(names[1]).toMatch(/^aBSelect/);
});
