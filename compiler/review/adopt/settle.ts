/** The report about leftovers, and the SQL that settles them. Nothing of it is run here. */

import { quoteIdentifier } from '../../../runtime/core/sql/fragment.ts';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';
import type { DependentObject, Leftovers, LeftTrigger } from './leftovers.ts';

/** True if the database has nothing of another engine that matters here. */
export function isSettled({ triggers, readers, undelivered }: Leftovers): boolean {
  return triggers.length === 0 && readers.length === 0 && undelivered.length === 0;
}

const READS = {
  settings: 'reads its settings',
  tables: 'uses its tables',
  functions: 'calls its functions',
} as const;

/** `engine adopt check`: what was found, and why it matters. */
export function leftoversText(found: Leftovers): string {
  const { schemas, word, triggers, readers, undelivered } = found;
  if (schemas.length === 0 && readers.length === 0) return 'Nothing of another engine is in this database.\n';
  const lines = [
    ...schemas.map((schema) => `schema ${schema}: tables of another engine; nothing here reads them`),
    ...(word === undefined ? [] : [`its word is "${word}": settings ${word}.user, headers x-${word}-…`]),
    ...undelivered.map(
      ({ kind, name, count }) => `not worked off: ${count} × ${kind}${name ? ` ${name}` : ''}`,
    ),
    ...triggers.map(
      ({ schema, table, name }) => `trigger ${name} on ${schema}.${table}: goes on writing to its log`,
    ),
    ...readers.map(
      ({ kind, name, reads }) => `${kind} ${name}: ${reads.map((each) => READS[each]).join(' and ')}`,
    ),
  ];
  if (isSettled(found)) lines.push('Nothing has to be changed.');
  else {
    if (undelivered.length > 0)
      lines.push(
        '',
        'Let the other engine deliver its pending events before it stops; no other program will.',
      );
    if (triggers.length > 0 || readers.length > 0)
      lines.push(
        '',
        'engine adopt check --format sql prints the SQL that settles the rest. Read it, then run it with psql.',
      );
  }
  return `${lines.join('\n')}\n`;
}

/** A script for psql, in one transaction. It holds what has to be rewritten by hand as comments. */
export function settlingSql(found: Leftovers, vocabulary: Vocabulary): string {
  const { schemas, triggers, readers, undelivered } = found;
  const statements = [
    ...triggers.map(dropTrigger),
    ...readers.map((reader) => rewritten(reader, found, vocabulary)),
  ];
  const lines = [
    '-- Made by engine adopt check. Read it before you run it: psql --set ON_ERROR_STOP=1 --file FILE',
    ...undelivered.map(
      ({ kind, name, count }) => `-- not worked off: ${count} × ${oneLine(`${kind} ${name}`)}`,
    ),
    ...(statements.length > 0 ? ['begin;', ...statements, 'commit;'] : []),
    ...(schemas.length > 0 ? ['-- When nothing needs its logs any more:'] : []),
    ...schemas.map((schema) => `-- ${oneLine(`drop schema ${quoteIdentifier(schema)} cascade;`)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function dropTrigger({ schema, table, name }: LeftTrigger): string {
  return `drop trigger ${quoteIdentifier(name)} on ${quoteIdentifier(schema, table)};`;
}

function rewritten(
  { kind, name, definition }: DependentObject,
  { word, schemas }: Leftovers,
  vocabulary: Vocabulary,
): string {
  let text = definition;
  const { prefix } = vocabulary;
  if (word !== undefined)
    text = text
      .replace(new RegExp(`(?<=['"$])${word}\\.(user|tracecontext)(?!\\w)`, 'gi'), (_, setting: string) =>
        vocabulary.dotted(setting.toLowerCase()),
      )
      .replace(new RegExp(`(?<!["\\w])x-${word}-|(?<=")x-${word}-(?=[^"]*"\\s*:(?!:))`, 'gi'), prefix);
  for (const schema of schemas)
    text = text.replace(
      new RegExp(`("${escaped(schema)}"|(?<![\\w."])${escaped(schema)})\\.gen_\\w*uuid\\(\\)`, 'g'),
      'gen_random_uuid()',
    );
  // Tables, columns and the like of these names are for a person to tell from settings and headers.
  const isUnclear =
    word !== undefined &&
    word !== vocabulary.word &&
    new RegExp(`(?<!\\w)(x-${word}-|${word}"?\\."?(user|tracecontext)(?!\\w))`, 'i').test(text);
  const terminated = text.trimEnd().endsWith(';') ? text : `${text.trimEnd()};`;
  const remaining = schemas.find((schema) => new RegExp(`(?<![\\w.])"?${escaped(schema)}"?\\.`).test(text));
  if (remaining === undefined && text !== definition && !isUnclear && kind !== 'materialized view')
    return terminated;
  const comment = `-- by hand: ${oneLine(`${kind} ${name}`)}${remaining === undefined ? '' : ` uses ${oneLine(remaining)}`}`;
  return [comment, ...definition.split(/\r\n|\r|\n/).map((line) => `--   ${line}`)].join('\n');
}

/** A comment ends with its line, so names with line breaks must not end it. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

function escaped(text: string): string {
  return text.replaceAll(/[^\w]/g, '\\$&');
}
