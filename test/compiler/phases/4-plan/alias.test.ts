/** Aliases of rules and of requests never meet: a rule nested in itself still speaks of its own row. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compile } from '../../../../compiler/index.ts';
import { readMetadataFile } from '../../../../compiler/phases/1-read/index.ts';
import { REQUEST_ALIAS, RULE_ALIAS, readRule } from '../../../../runtime/core/condition/rule.ts';
import { bindRow, identifier, type Sql } from '../../../../runtime/core/sql/fragment.ts';
import { print } from '../../../../runtime/core/sql/print.ts';
import { catalogsOf } from '../../../harness/compile.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';

const place = new URL('../../../cases/blog/', import.meta.url);

test('every rule, nested inside itself, admits the rows that it admits alone', async () => {
  const database = await createTestDatabase(readFileSync(new URL('schema.sql', place), 'utf8'));
  const { value: metadata } = readMetadataFile(new URL('metadata.json', place).pathname);
  const { state } = compile({ metadata, catalogs: await catalogsOf(metadata, database.url) });
  const session: Record<string, string> = { 'x-engine-user-id': '10' };
  let nested = 0;
  for (const { shape, access } of state.plan.sources[0]!.tables) {
    const [key] = shape.primaryKey?.columns ?? [];
    if (key === undefined) continue;
    const table = print(identifier(shape.schema, shape.name)).text;
    const column = print(identifier(key)).text;
    for (const { where } of [access.select, access.update, access.delete].flatMap((rules) =>
      Object.values(rules ?? {}),
    )) {
      const rule = readRule(where).sql;
      const rows = async (alias: string, condition: string) =>
        (
          await database.query(
            `select ${alias}.${column} as key from ${table} as ${alias} where ${condition} order by 1`,
          )
        ).map(({ key }) => key);
      const [outer, inner] = [`${REQUEST_ALIAS}1`, `${REQUEST_ALIAS}2`].map((name) => identifier(name)) as [
        Sql,
        Sql,
      ];
      const alone = await rows(`"${REQUEST_ALIAS}1"`, inlined(bindRow(rule, outer), session));
      const inside = await rows(
        `"${REQUEST_ALIAS}1"`,
        `(${inlined(bindRow(rule, outer), session)}) and exists (select 1 from ${table} as "${REQUEST_ALIAS}2"
           where "${REQUEST_ALIAS}2".${column} = "${REQUEST_ALIAS}1".${column} and (${inlined(bindRow(rule, inner), session)}))`,
      );
      expect(inside, where).toEqual(alone);
      const others = await rows(
        `"${REQUEST_ALIAS}1"`,
        `not (${inlined(bindRow(rule, outer), session)}) and exists (select 1 from ${table} as "${REQUEST_ALIAS}2"
           where "${REQUEST_ALIAS}2".${column} = "${REQUEST_ALIAS}1".${column} and (${inlined(bindRow(rule, inner), session)}))`,
      );
      expect(others, where).toEqual([]);
      nested += 1;
    }
  }
  expect(nested).toBeGreaterThan(8);
});

test('an alias is introduced once in a rule, and begins with the prefix of rules', async () => {
  const { value: metadata } = readMetadataFile(new URL('metadata.json', place).pathname);
  const database = await createTestDatabase(readFileSync(new URL('schema.sql', place), 'utf8'));
  const { state } = compile({ metadata, catalogs: await catalogsOf(metadata, database.url) });
  const rules = state.plan.sources[0]!.tables.flatMap(({ access }) =>
    Object.values(access.select ?? {}).map(({ where }) => where),
  );
  for (const where of rules) {
    const introduced = [...where.matchAll(/ as "([^"]+)"/g)].map(([, alias]) => alias!);
    expect(new Set(introduced).size, where).toBe(introduced.length);
    for (const alias of introduced) expect(alias.startsWith(RULE_ALIAS)).toBe(true);
  }
});

/** The text of a rule with the session's values in place. */
function inlined(rule: Sql, session: Readonly<Record<string, string>>): string {
  const { text, parameters } = print(rule);
  return text.replace(/\(\$(\d+)\)/g, (_, position: string) => {
    const { source } = parameters[Number(position) - 1]!;
    return source.from === 'session' ? `'${session[source.name]}'` : `'{}'`;
  });
}
