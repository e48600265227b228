/** SQL of this project calls the functions of PostgreSQL by `builtIn`, which qualifies them: no text calls one by its name alone. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { FUNCTIONS } from '../../../../runtime/core/condition/rule.ts';

const root = fileURLToPath(new URL('../../../../runtime/core', import.meta.url));
const CALL = new RegExp(`(?<![\\w.$])(?:${[...FUNCTIONS].join('|')})\\(`, 'i');

/** The texts of `sql` templates and of calls of `raw`. */
function sqlTexts(file: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const { template, argument } = ts.isTaggedTemplateExpression(node)
      ? { template: node.tag.getText() === 'sql' ? node.template : undefined, argument: undefined }
      : ts.isCallExpression(node) && node.expression.getText() === 'raw'
        ? { template: undefined, argument: node.arguments[0] }
        : { template: undefined, argument: undefined };
    if (argument) found.push(argument.getText());
    if (template)
      found.push(
        ...(ts.isNoSubstitutionTemplateLiteral(template)
          ? [template.text]
          : [template.head.text, ...template.templateSpans.map((span) => span.literal.text)]),
      );
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
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

test.each(['sql`json_agg(1) as x`', 'sql`true and lower(name)`', "raw('count(*)')", 'sql`max(1)`'])(
  'finds %s',
  (text) => {
    expect(callsIn('file.ts', text)).toHaveLength(1);
  },
);
