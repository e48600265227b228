/** The matrix as one self-contained HTML page: nothing is fetched, nothing is sent. */

import { readFileSync } from 'node:fs';
import { inWords } from '../../../runtime/console/permission.ts';
import { ruleLayout } from '../../../runtime/core/condition/words.ts';
import { isOpen } from '../../../runtime/core/contract/shapes.ts';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';
import type { Matrix } from './matrix.ts';

const page = new URL('./page.html', import.meta.url);

/** The page. Names and rules reach it as JSON and are shown as text only. */
export function matrixHtml(matrix: Matrix, vocabulary: Vocabulary): string {
  const data = {
    ...matrix,
    permissions: matrix.permissions.map((permission) => ({
      ...permission,
      open: isOpen(permission),
      whereWords: permission.where === undefined ? undefined : ruleLayout(permission.where, vocabulary),
      checkWords: permission.check === undefined ? undefined : ruleLayout(permission.check, vocabulary),
      presets: permission.presets && inWords(permission.presets, vocabulary),
      cells: permission.cells && inWords(permission.cells, vocabulary),
    })),
  };
  // Within a script element only `<` could begin something else.
  const json = JSON.stringify(data)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
  return readFileSync(page, 'utf8').replace('"%matrix%"', () => json);
}
