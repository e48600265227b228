import { expect, test } from 'vitest';
import { readMessages } from '../../../compiler/review/findings/messages.ts';
import { engine } from '../../harness/command-line.ts';

const explain = (...code: string[]) => engine('explain', ...code);

test('every code is explained, and listed', async () => {
  const list = await explain();
  for (const { code, prose } of readMessages()) {
    expect(await explain(code)).toMatchObject({ status: 0, stdout: expect.stringContaining(prose) });
    expect(list.stdout).toContain(`${code}  `);
  }
});

test('a code that there is not gets the nearest one', async () => {
  expect(await explain('sql-refsed')).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'There is no diagnostic "sql-refsed". Did you mean "sql-refused"? engine explain without a code lists them all.\n',
  });
  expect((await explain('zzzzzz')).stderr).not.toContain('Did you mean');
});
