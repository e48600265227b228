import { expect, test } from 'vitest';
import { readMessages } from '../../compiler/diagnostics/messages.ts';
import { explainCommand } from '../../compiler/explain-command.ts';

function explain(code?: string) {
  const texts = { stdout: '', stderr: '' };
  const status = explainCommand(code, {
    environment: {},
    stdout: (text) => {
      texts.stdout += text;
    },
    stderr: (text) => {
      texts.stderr += text;
    },
  });
  return { status, ...texts };
}

test('every code is explained, and listed', () => {
  const list = explain();
  for (const { code, prose } of readMessages()) {
    expect(explain(code)).toMatchObject({ status: 0, stdout: expect.stringContaining(prose) });
    expect(list.stdout).toContain(`${code}  `);
  }
});

test('a code that there is not gets the nearest one', () => {
  expect(explain('sql-refsed')).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'There is no diagnostic "sql-refsed". Did you mean "sql-refused"? engine explain without a code lists them all.\n',
  });
  expect(explain('zzzzzz').stderr).not.toContain('Did you mean');
});
