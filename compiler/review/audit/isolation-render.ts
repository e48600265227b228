/** Prints which rules and foreign keys do not tie rows to a session variable. */

import { ruleWords } from '../../../runtime/core/condition/words.ts';
import { EVERY_ROW } from '../../../runtime/core/contract/shapes.ts';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';
import { counted } from '../findings/text.ts';
import type { Isolation } from './isolation.ts';
import type { Permission } from './matrix.ts';
import { wrap } from './render.ts';

const WIDTH = 100;

/** `engine audit isolation`. */
export function isolationText(result: Isolation, vocabulary: Vocabulary): string {
  const { label, variable, references, free, others, unreached, counts } = result;
  const lines = [`${vocabulary.fromCanonical(variable)}   (${label})`, ''];
  lines.push(`Foreign keys that may be written beyond it (${references.length})`);
  for (const { permission, columns, target, through } of references) {
    lines.push(
      `  ${title(permission)}`,
      `      ${columns.join(', ')} may name any row of ${target}`,
      ...through.map((rule) => `      through it: ${title(rule)}`),
    );
  }
  const leading = free.filter(({ path }) => path);
  lines.push('', `Rules without a session variable, on rows that belong to its values (${leading.length})`);
  for (const { permission, path = [] } of leading)
    lines.push(`  ${title(permission)}`, ...pathLines(path), ...ruleLines(permission, vocabulary));
  lines.push('', `Rules that tie rows to other session variables only (${others.length})`);
  for (const { permission, path = [], variables } of others)
    lines.push(
      `  ${title(permission)}`,
      `      ${variables.length > 0 ? `by ${variables.map((name) => vocabulary.fromCanonical(name)).join(', ')}` : 'by none in every branch'}`,
      ...pathLines(path),
      ...ruleLines(permission, vocabulary),
    );
  const shared = free.filter(({ path }) => !path);
  lines.push(
    '',
    `Rules without a session variable, on tables from which nothing leads to it: shared (${shared.length})`,
  );
  for (const { permission } of shared)
    lines.push(`  ${title(permission)}`, ...ruleLines(permission, vocabulary));
  lines.push(
    '',
    ...wrap(`Tables that no role reaches by a permission: ${unreached.join(', ') || 'none'}.`, WIDTH),
    '',
    ...wrap(
      `${counts.tied} of ${counts.rules} rules tie rows to it, and ${counts.references - references.length} of ${counts.references} foreign keys that roles write. ` +
        `What is tied otherwise than by "=", "in" and joins is listed as not tied. Not looked at: the queries of ${counted(counts.views, 'view')} and the bodies of ${counted(counts.functions, 'tracked function')}; ` +
        'whether the values of other session variables belong to one value of this one.',
      WIDTH,
    ),
  );
  return `${lines.join('\n')}\n`;
}

/** How rows that are not tied lead to tied ones. */
function pathLines(path: readonly string[]): string[] {
  return path.length > 1 ? [`      leads to it: ${path.join(' → ')}`] : [];
}

function title({ role, table, operation, place }: Permission): string {
  return `${role}: ${operation} ${table}${place ? `   ${place.file}:${place.line}` : ''}`;
}

function ruleLines({ where, check }: Permission, vocabulary: Vocabulary): string[] {
  const text = where ?? check ?? EVERY_ROW;
  const words = text === EVERY_ROW ? 'every row' : ruleWords(text, vocabulary);
  return wrap(words, WIDTH - 6).map((line) => `      ${line}`);
}
