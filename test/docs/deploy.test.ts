/** The deployment examples name what the server really has: its options, its probes. */

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { optionVariable } from '../../runtime/configuration/configuration.ts';
import { optionsIn } from '../../runtime/configuration/options.ts';
import { CANONICAL } from '../../runtime/core/vocabulary.ts';

const folder = new URL('../../examples/deploy/', import.meta.url);
const files = readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const);
const variables = new Set(Object.keys(optionsIn(CANONICAL)).map((key) => optionVariable(key, CANONICAL)));

test('every variable is that of an option, or of its file', () => {
  const named = files.flatMap(([, text]) => text.match(/ENGINE_GRAPHQL_[A-Z_]+/g) ?? []);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !variables.has(name.replace(/_FILE$/, '')))).toEqual([]);
});

test('probes ask for paths of the server', () => {
  const paths = files.flatMap(([, text]) =>
    [...text.matchAll(/\/(livez|readyz|healthz)\b/g)].map(([path]) => path),
  );
  expect(new Set(paths)).toEqual(new Set(['/livez', '/readyz']));
});

test('YAML files are well-formed', () => {
  for (const [name, text] of files.filter(([name]) => name.endsWith('.yaml')))
    expect(
      parseAllDocuments(text).flatMap(({ errors }) => errors),
      name,
    ).toEqual([]);
});
