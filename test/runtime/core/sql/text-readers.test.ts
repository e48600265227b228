/** Statements are data: code learns from its tree what one reads, writes or is made of, and never searches the text. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const ROOMS = [
  'runtime/core',
  'runtime/graphql',
  'runtime/live',
  'runtime/database',
  'compiler/phases/4-plan',
];

/** Paths of code that looks into SQL, and which text that is. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'runtime/core/condition/': 'rules are texts of generated files: their tokens, and what is made of these',
  'runtime/core/native-text.ts':
    'native queries are texts of the metadata, with the places of their arguments',
  'runtime/core/saved/saved-sql.ts': 'saved operations are texts of generated files, with holes',
  'runtime/core/contract/declared.ts': 'columns that a rule names behind its row',
  'runtime/core/types.ts': 'keys of types are quoted as in SQL',
  'runtime/database/own-objects.ts': 'definitions of own tables are constants, compared with what is there',
  'runtime/database/sqlstates.ts': 'messages of PostgreSQL',
};

/** Words, signs and quotes that only SQL has. */
const SQL =
  /\b(?:select|from|where|join|union|having|into|create (?:or|table)|delete from|returning|order by|group by|unnest|pg_catalog)\b|(?<!\?)::|''\)|""\)|''\||\\\$\(?\\d/i;

/** Methods that look for a text in another. */
const SEARCHES = new Set([
  'includes',
  'startsWith',
  'endsWith',
  'indexOf',
  'lastIndexOf',
  'split',
  'replaceAll',
]);

function searchesIn(file: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push(node.text);
    if (ts.isNewExpression(node) && node.expression.getText() === 'RegExp')
      found.push(node.arguments?.[0]?.getText() ?? '');
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const [sought] = node.arguments;
      const isText = sought && (ts.isStringLiteral(sought) || ts.isTemplateLiteral(sought));
      if (isText && SEARCHES.has(node.expression.name.text)) found.push(sought.getText());
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found;
}

/** Each search for SQL by its file. */
function readersOf(file: string, text: string): string[] {
  return searchesIn(file, text)
    .filter((sought) => SQL.test(sought))
    .map((sought) => `${file}: ${sought}`);
}

test('no code looks for SQL in a text but that of rules, saved operations, types and own tables', () => {
  const files = ROOMS.flatMap((room) =>
    readdirSync(`${root}/${room}`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${room}/${file}`),
  );
  expect(files.length).toBeGreaterThan(300);
  const readers = files.flatMap((file) => readersOf(file, readFileSync(`${root}/${file}`, 'utf8')));
  const exceptionOf = (reader: string) => Object.keys(EXCEPTIONS).find((path) => reader.startsWith(path));
  expect(readers.filter((reader) => exceptionOf(reader) === undefined)).toEqual([]);
  expect([...new Set(readers.map(exceptionOf))].sort(), 'every exception is needed').toEqual(
    Object.keys(EXCEPTIONS).sort(),
  );
});

test.each([
  'const WRITE = /^(?:with .* )?(insert into|update|delete from) "([^"]+)"/;',
  'text.includes(`pg_catalog.unnest(`)',
  "text.split(' where ')",
  'text.replace(/\\(\\$(\\d+)\\)/g, name)',
  'const TOKEN = /\'(?:[^\']|\'\')*\'|"((?:[^"]|"")*)"/g;',
  "new RegExp('from ' + name)",
  "if (text.startsWith('select')) read(text);",
])('finds %s', (text) => {
  expect(readersOf('file.ts', text)).toHaveLength(1);
});
