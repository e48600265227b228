/** SQL of this project calls the functions of PostgreSQL by `builtIn`, which qualifies them: no text calls one by its name alone. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../../runtime/core', import.meta.url));
/** Words of PostgreSQL's grammar: no schema can have another one. PostGIS is in the schema that its owner chose. */
const WORDS = 'any array case coalesce exists greatest least nullif row';
const CALL = new RegExp(`(?<![\\w.$"])(?!(?:${WORDS.split(' ').join('|')})\\()(?!st_)[a-z_]\\w*\\(`, 'i');

/** The texts of `sql` templates and of arguments of `raw`. */
function sqlTexts(file: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node, isSql: boolean): void => {
    if (
      isSql &&
      (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
    )
      found.push(node.text);
    const begins =
      ts.isTaggedTemplateExpression(node) || ts.isCallExpression(node)
        ? ['sql', 'raw'].includes((ts.isCallExpression(node) ? node.expression : node.tag).getText())
        : isSql && !ts.isBlock(node);
    ts.forEachChild(node, (child) => visit(child, begins));
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true), false);
  return found;
}

const callsIn = (file: string, text: string) => sqlTexts(file, text).filter((each) => CALL.test(each));

test('no SQL of the core calls a function of PostgreSQL without its schema', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const texts = new Map(files.map((file) => [file, readFileSync(`${root}/${file}`, 'utf8')]));
  expect([...texts].flatMap(([file, text]) => sqlTexts(file, text)).length).toBeGreaterThan(200);
  expect([...texts].flatMap(([file, text]) => callsIn(file, text).map((call) => `${file}: ${call}`))).toEqual(
    [],
  );
});

test.each([
  'sql`json_agg(1) as x`',
  'sql`true and lower(name)`',
  "raw('count(*)')",
  'sql`max(1)`',
  'sql`some_other(1)`',
])('finds %s', (text) => {
  expect(callsIn('file.ts', text)).toHaveLength(1);
});
