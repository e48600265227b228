/** Numbers of metadata files keep their digits, and what is nested too deeply is refused with its place. */
import { expect, test } from 'vitest';
import { metadataFolder } from '../../../../compiler/cli/metadata-folder.ts';
import { exportMetadata, readMetadataFile } from '../../../../compiler/phases/1-read/index.ts';
import { jsonText, NumberText } from '../../../../runtime/core/types.ts';
import { eachInFolder } from '../../../harness/folder.ts';

const directory = eachInFolder();

const json = (filter: string) =>
  `{"version":3,"sources":[{"name":"default","configuration":{"connection_info":{"database_url":{"from_env":"URL"}}},
    "tables":[{"table":"t","select_permissions":[{"role":"r","permission":{"columns":"*","filter":${filter}}}]}]}]}`;

const yaml = (filter: string, before = '') => `${before}version: 3
sources:
  - name: default
    configuration: {connection_info: {database_url: {from_env: URL}}}
    tables:
      - table: t
        select_permissions:
          - role: r
            permission: {columns: '*', filter: ${filter}}
`;

function read(name: string, text: string) {
  directory.write(name, text);
  return readMetadataFile(directory.at(name));
}

function filterOf({ value }: ReturnType<typeof readMetadataFile>): unknown {
  return value.sources[0]?.tables[0]?.select_permissions[0]?.permission.filter;
}

/** As YAML writes it, and as JSON does; the digits are kept. */
const NUMBERS: readonly (readonly [string, string])[] = [
  ['9007199254740993', '9007199254740993'],
  ['-9007199254740993', '-9007199254740993'],
  ['+9007199254740993', '9007199254740993'],
  ['12345678901234567890.12345', '12345678901234567890.12345'],
  ['1e400', '1e400'],
  ['-0', '-0'],
  ['-.12345678901234567890', '-0.12345678901234567890'],
  ['0012345678901234567890.', '12345678901234567890'],
  ['0x20000000000001', '9007199254740993'],
  ['0o400000000000000001', '9007199254740993'],
];

test.each(NUMBERS)('%s', (written, text) => {
  const expected = { id: { _eq: new NumberText(text) } };
  expect(filterOf(read('m.json', json(`{"id":{"_eq":${text}}}`)))).toStrictEqual(expected);
  const { value } = read('m.yaml', yaml(`{id: {_eq: ${written}}}`));
  expect(value.sources[0]!.tables[0]!.select_permissions[0]!.permission.filter).toStrictEqual(expected);
  const files = metadataFolder(value);
  for (const [path, file] of files) directory.write(`exported/${path}`, file);
  const again = readMetadataFile(directory.at('exported')).value;
  expect(jsonText(exportMetadata(again))).toBe(jsonText(exportMetadata(value)));
  expect([...files.values()].join('')).toContain(`_eq: ${text}\n`);
});

test('numbers that JavaScript has stay numbers', () => {
  expect(filterOf(read('m.yaml', yaml('{id: {_in: [1, 0x10, 0o10, .5, 1e1, -1.50]}}')))).toStrictEqual({
    id: { _in: [1, 16, 8, 0.5, 10, -1.5] },
  });
});

const nest = (levels: number, open: string, close: string) => open.repeat(levels) + close.repeat(levels);

test.each([501, 20_000])('%i levels', (levels) => {
  for (const found of [
    read('m.json', json(nest(levels, '[', ']'))),
    read('m.yaml', yaml(nest(levels, '[', ']'))),
    read(
      'b.yaml',
      yaml(
        `\n${Array.from({ length: Math.min(levels, 1000) }, (_, index) => `${' '.repeat(16 + index)}a:`).join('\n')}`,
      ).replace('{columns:', '{columns:'),
    ),
  ]) {
    const errors = found.diagnostics.filter(({ severity }) => severity === 'error');
    expect(errors.length).toBeGreaterThan(0);
  }
  const [problem] = read('m.json', json(nest(levels, '[', ']'))).diagnostics;
  expect(problem!.message).toContain('nested more than 500 levels deep');
  expect(read('m.yaml', yaml(nest(levels, '[', ']'))).diagnostics[0]!.message).toContain(
    'nested more than 500 levels deep',
  );
});

test('aliases that stand for billions of values are refused', () => {
  const lines = Array.from(
    { length: 30 },
    (_, index) => `x${index + 1}: &x${index + 1} {_and: [*x${index}, *x${index}]}\n`,
  );
  const { diagnostics } = read('m.yaml', yaml('*x30', `x0: &x0 {}\n${lines.join('')}`));
  expect(diagnostics.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('its aliases stand for more than 1000000 values'),
  );
});

test('aliases that nest too deeply are refused', () => {
  const lines = Array.from(
    { length: 3 },
    (_, index) => `x${index + 1}: &x${index + 1} ${'['.repeat(300)}*x${index}${']'.repeat(300)}\n`,
  );
  const { diagnostics } = read('m.yaml', yaml('*x3', `x0: &x0 {}\n${lines.join('')}`));
  expect(diagnostics.map(({ message }) => message)).toContainEqual(expect.stringContaining('levels deep'));
});
