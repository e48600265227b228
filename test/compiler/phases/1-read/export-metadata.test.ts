import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exportMetadata, readMetadata } from '../../../../compiler/phases/1-read/index.ts';
import { metadataKeys } from '../../../../runtime/metadata/read-metadata.ts';

const canonical = readFileSync(new URL('canonical.json', import.meta.url), 'utf8');

test('a canonical document with every key of the format is exported byte for byte', () => {
  const { value, diagnostics } = readMetadata(JSON.parse(canonical));
  expect(diagnostics).toEqual([]);
  expect(JSON.stringify(exportMetadata(value), null, 2)).toBe(JSON.stringify(JSON.parse(canonical), null, 2));
  expect(Object.keys(exportMetadata(value))).toEqual(metadataKeys);
});

test('the order of keys and of sorted lists in the input does not matter', () => {
  const turn = (value: unknown, key = ''): unknown => {
    // These lists keep the order in which they were written; elsewhere the export sorts.
    const sorted =
      /^(sources|tables|functions|.*_relationships|computed_fields|event_triggers|actions|cron_triggers)$/;
    if (Array.isArray(value)) {
      const items = value.map((item) => turn(item));
      return sorted.test(key) && items.every((item) => typeof item === 'object') ? items.reverse() : items;
    }
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, inner]) => [name, turn(inner, name)]),
    );
  };
  const document = JSON.parse(canonical);
  const { value } = readMetadata(turn(document));
  const types = exportMetadata(value);
  expect(JSON.parse(JSON.stringify(types))).toEqual(document);
  expect(Object.keys(types)).toEqual(Object.keys(document));
});

test('defaults are left out, and what must be printed is printed', () => {
  const input = {
    version: 3,
    sources: [
      { name: 'other', configuration: { connection_info: { database_url: 'postgres://h/d' } }, tables: [] },
      {
        name: 'default',
        configuration: {
          connection_info: { database_url: { from_env: 'URL' } },
          extensions_schema: 'public',
        },
        tables: [
          {
            table: 'b',
            is_enum: false,
            configuration: { custom_name: 'B' },
            update_permissions: [
              {
                role: 'u',
                permission: {
                  columns: [],
                  filter: { b: 1, a: { _in: [{ d: 1, c: 2 }] } },
                  check: null,
                  set: {},
                },
              },
            ],
          },
          { table: 'a', configuration: {}, select_permissions: [] },
        ],
      },
    ],
    cron_triggers: [{ name: 'hidden', webhook: 'w', schedule: '* * * * *', include_in_metadata: false }],
    custom_types: { objects: [] },
    network: {},
    rest_endpoints: [
      {
        name: 'r',
        url: 'r',
        methods: ['GET'],
        definition: { query: { collection_name: 'c', query_name: 'q' } },
      },
    ],
  };
  const { value, diagnostics } = readMetadata(input);
  expect(diagnostics).toEqual([]);
  const connection = { isolation_level: 'read-committed' };
  expect(JSON.stringify(exportMetadata(value), null, 2)).toBe(
    JSON.stringify(
      {
        version: 3,
        sources: [
          {
            name: 'default',
            kind: 'postgres',
            tables: [
              { table: { name: 'a', schema: 'public' } },
              {
                table: { name: 'b', schema: 'public' },
                configuration: {
                  column_config: {},
                  custom_column_names: {},
                  custom_name: 'B',
                  custom_root_fields: {},
                },
                update_permissions: [
                  {
                    role: 'u',
                    permission: { columns: [], filter: { a: { _in: [{ c: 2, d: 1 }] }, b: 1 }, check: null },
                  },
                ],
              },
            ],
            configuration: { connection_info: { database_url: { from_env: 'URL' }, ...connection } },
          },
          {
            name: 'other',
            kind: 'postgres',
            tables: [],
            configuration: { connection_info: { database_url: 'postgres://h/d', ...connection } },
          },
        ],
        rest_endpoints: [
          {
            comment: null,
            definition: { query: { collection_name: 'c', query_name: 'q' } },
            methods: ['GET'],
            name: 'r',
            url: 'r',
          },
        ],
      },
      null,
      2,
    ),
  );
});
