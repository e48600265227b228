/** Errors after which a server looks how a cluster distributes its tables. Plain PostgreSQL, with a stand-in of the extension. */
import { beforeAll, expect, test } from 'vitest';
import type { SourceConnection } from '../../../runtime/database/source.ts';
import { CITUS } from '../../harness/citus.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { openSource } from '../../harness/source.ts';

const FAIL = `create function fail(state text, message text) returns text language plpgsql as $$
  begin raise exception using errcode = state, message = message; end $$;`;

let cluster: TestDatabase;
let plain: TestDatabase;
beforeAll(async () => {
  [cluster, plain] = await Promise.all([createTestDatabase(CITUS + FAIL), createTestDatabase(FAIL)]);
});

/** Runs `use` with a source, and counts the looks that it causes until each has ended. */
async function looksAfter(
  use: (source: SourceConnection) => Promise<unknown>,
  { url } = cluster,
  look: () => Promise<void> = async () => {},
): Promise<number> {
  let looks = 0;
  const source = openSource(url, {
    look: () => {
      looks += 1;
      return look();
    },
  });
  try {
    await use(source);
    return looks;
  } finally {
    await source.end();
  }
}

const failing = (state: string, message = 'broken') => `select fail('${state}', '${message}')`;
const fails = async (answer: Promise<unknown>) => expect(answer).rejects.toThrow();

test.each([
  ['0A000', 1],
  ['XX000', 1],
  ['42P01', 1],
  ['55000', 1],
  ['22004', 1],
  ['22P02', 1],
  ['22003', 0],
  ['23505', 0],
  ['40001', 0],
  ['57014', 0],
  ['P0001', 0],
])('%s: %s look', async (state, looks) => {
  const read = (source: SourceConnection) => fails(source.readTexts({ text: failing(state) }, []));
  expect(await looksAfter(read)).toBe(looks);
  expect(await looksAfter(read, plain)).toBe(0);
});

test('a check that refuses a row says nothing of the cluster', async () => {
  const text = failing(
    '22P02',
    'check constraint of an insert/update permission has failed [s.t.insert check]',
  );
  expect(await looksAfter((source) => fails(source.readTexts({ text }, [])))).toBe(0);
});

const text = failing('XX000');
test.each<[string, (source: SourceConnection) => Promise<unknown>]>([
  ['read', (source) => source.readTexts({ text }, [])],
  [
    'write',
    (source) =>
      source.writeTexts([
        { text: 'select 1::text', values: [] },
        { text, values: [] },
      ]),
  ],
  ['read of several', (source) => source.readTogether([{ text, values: [] }])],
  ['read of a live query', (source) => source.poll(text, [])],
  ['plan', (source) => source.query(text)],
])('a failing %s has it looked at, before the error is answered', async (_, run) => {
  let isDone = false;
  const look = async () => {
    await Promise.resolve();
    isDone = true;
  };
  expect(
    await looksAfter(
      async (source) => {
        await fails(run(source));
        expect(isDone).toBe(true);
      },
      cluster,
      look,
    ),
  ).toBe(1);
});

test('many errors are one look, and another one that begins after the last of them', async () => {
  let end = () => {};
  let again = () => {};
  const isFirst = new Promise<void>((resolve) => {
    end = resolve;
  });
  const isSecond = new Promise<void>((resolve) => {
    again = resolve;
  });
  let looks = 0;
  const look = async () => {
    looks += 1;
    if (looks === 1) await isFirst;
    else again();
  };
  const flood = async (source: SourceConnection) => {
    const read = () => fails(source.readTexts({ text }, []));
    await Promise.all(Array.from({ length: 200 }, read));
    expect(looks).toBe(1);
    end();
    await isSecond;
  };
  expect(await looksAfter(flood, cluster, look)).toBe(2);
});

test('a look that takes long does not hold the error for long', async () => {
  expect(
    await looksAfter(
      (source) => fails(source.readTexts({ text }, [])),
      cluster,
      () => new Promise(() => {}),
    ),
  ).toBe(1);
});
