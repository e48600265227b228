/** Functions that write are called once, whatever runs beside them. `test/requests/writing/functions` has the rest. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { InProcess } from '../../../harness/in-process.ts';
import { openRequestProject, type RequestProject } from '../../../harness/request-project.ts';

let project: RequestProject;
let served: InProcess;
beforeAll(async () => {
  project = await openRequestProject('writing/functions');
  served = await project.served();
});
afterAll(() => project.end());

test('it is called once, however long it takes', async () => {
  for (const wait of [0, 0.3])
    await served.answer({ query: `mutation { count_calls(args: {wait: ${wait}}) { id } }` }, 'admin');
  expect(await project.database.query('select last_value::int as n from calls')).toEqual([{ n: 2 }]);
});

test('it is called once, even where rows next to it can only be inserted one by one', async () => {
  // The server does not know of the trigger.
  await project.database.query(`create function skip() returns trigger language plpgsql as
      $$ begin return case when new.title <> 'skip' then new end; end $$;
    create trigger skip before insert on sheet for each row execute function skip();
    select setval('calls', 1);`);
  const sheet = (title: string, lines: number) => ({ title, lines: { data: Array(lines).fill({}) } });
  const query = `mutation ($sheets: [sheet_insert_input!]!) {
    count_calls(args: {wait: 0}) { id }
    insert_sheet(objects: $sheets) { affected_rows }
  }`;
  const variables = { sheets: [sheet('skip', 0), sheet('a', 1), sheet('b', 1)] };
  expect(JSON.parse(await served.answer({ query, variables }, 'admin'))).toMatchObject({
    data: { insert_sheet: { affected_rows: 4 } },
  });
  expect(await project.database.query('select last_value::int as n from calls')).toEqual([{ n: 2 }]);
});
