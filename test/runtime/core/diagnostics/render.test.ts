import { describe, expect, test } from 'vitest';
import { renderDiagnostic } from '../../../../compiler/review/findings/render.ts';
import { at, type Diagnostic, hasErrors } from '../../../../runtime/core/diagnostics/diagnostic.ts';
import { nearest } from '../../../../runtime/core/diagnostics/nearest.ts';
import { formatPath } from '../../../../runtime/core/diagnostics/path.ts';

const diagnostic: Diagnostic = {
  code: 'some-code',
  severity: 'error',
  message: 'Two lines:\n  • one',
  details: ['Do this.'],
  path: ['sources', 0, 'tables', 3],
  location: { file: 'tables.yaml', line: 4, column: 7 },
};

describe('renderDiagnostic', () => {
  test('prints code, place and position, then message and advice indented', () => {
    expect(renderDiagnostic(diagnostic)).toBe(
      'some-code  sources[0].tables[3]  tables.yaml:4:7\n  Two lines:\n    • one\n  Do this.',
    );
  });

  test('takes names for the path, and leaves out what there is not', () => {
    const { location: _, details: __, ...bare } = diagnostic;
    expect(renderDiagnostic({ ...bare, severity: 'warning' }, () => 'sources.default')).toBe(
      'warning some-code  sources.default\n  Two lines:\n    • one',
    );
    expect(renderDiagnostic({ ...bare, message: 'Text.', path: [] })).toBe('some-code\n  Text.');
  });
});

test('only errors are errors', () => {
  expect(hasErrors([{ ...diagnostic, severity: 'warning' }])).toBe(false);
  expect(hasErrors([{ ...diagnostic, severity: 'warning' }, diagnostic])).toBe(true);
});

test('at puts a message at a place, with the inconsistent object if there is one', () => {
  const message = { code: 'c', severity: 'error', message: 'm' } as const;
  expect(at(['x'], message)).toEqual({ path: ['x'], ...message });
  const inconsistency = { type: 'table', name: 't', reason: 'r', definition: null };
  expect(at(['x'], message, inconsistency)).toEqual({ path: ['x'], ...message, inconsistency });
});

test('paths print like those of the metadata API', () => {
  expect(formatPath([])).toBe('');
  expect(formatPath(['sources', 0, 'a b', 'c'])).toBe('sources[0]["a b"].c');
  expect(formatPath(['$set'], '$.args')).toBe('$.args["$set"]');
});

describe('nearest', () => {
  test.each([
    ['titel', ['title', 'id'], 'title'],
    ['author_id', ['authorid', 'other'], 'authorid'],
    ['Title', ['title', 'titles'], 'title'],
    ['select_permision', ['select_permissions', 'delete_permissions'], 'select_permissions'],
    ['ab', ['ba', 'xyz'], 'ba'],
    ['cat', ['rat', 'bat'], 'bat'],
  ])('%s of %j is %s', (name, candidates, expected) => {
    expect(nearest(name, candidates)).toBe(expected);
  });

  test.each([
    ['article', ['author', 'comment']],
    ['id', ['title']],
    ['x', []],
  ])('%s is near none of %j', (name, candidates) => {
    expect(nearest(name, candidates)).toBeUndefined();
  });
});
