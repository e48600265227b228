/** Renders the answers of an audit for a terminal. Rules are numbered, because paths share them. */

import { ruleWords } from '../../../runtime/core/condition/words.ts';
import {
  type ByAspect,
  eachAspect,
  OPERATIONS,
  type ShownAspect,
} from '../../../runtime/core/contract/aspects.ts';
import { EVERY_ROW, isOpen } from '../../../runtime/core/contract/shapes.ts';
import type { Location } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { CLOSING_OPTION, roleFactText } from '../../../runtime/core/program/facts.ts';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';
import { type AccessTable, cellKey, type Matrix, type Permission, permissionsByCell } from './matrix.ts';
import type { AccessPath, PathRule } from './path.ts';
import { unreadSentences } from './sent.ts';
import type { WhoResult } from './who.ts';

const WIDTH = 100;

/** `engine audit who`. */
export function whoText(result: WhoResult, vocabulary: Vocabulary): string {
  const { label, source, table, column, type, paths, foreign, sent, unread } = result;
  const rules = numberRules(paths.flatMap((path) => path.rules));
  const lines = [`${source} · ${table}.${column} · ${type}   (${label})`, ''];
  const roles = [...new Set(paths.map(({ role }) => role))];
  if (roles.length === 0) lines.push('No role but admin can read or write it.', '');
  else if (paths.every(({ possible }) => possible))
    lines.push('No role but admin reads or writes it for certain; some may:', '');
  // Roles with equal paths and rules share an entry.
  const alike = new Map<string, string[]>();
  for (const role of roles) {
    const own = paths.filter((path) => path.role === role);
    const text = (['read', 'write'] as const)
      .flatMap((access) =>
        own
          .filter((path) => path.access === access)
          .flatMap((path, index) => pathLines(index === 0 ? access : '', path, rules)),
      )
      .join('\n');
    alike.set(text, [...(alike.get(text) ?? []), role]);
  }
  for (const [text, names] of alike) lines.push(...wrap(names.join(', '), WIDTH), text, '');
  if (rules.size > 0)
    lines.push('Rules', ...[...rules.values()].flatMap((rule) => ruleLines(rule, vocabulary)), '');
  if (sent.length > 0)
    lines.push('Sent', ...sent.flatMap(({ to, by }) => wrap(`  to ${to}: ${by}`, WIDTH)), '');
  lines.push('The role admin may do everything.');
  for (const sentence of unreadSentences(unread)) lines.push(...wrap(sentence, WIDTH));
  lines.push(...foreignLines(foreign));
  return `${lines.join('\n')}\n`;
}

interface NumberedRule {
  readonly number: number;
  readonly rule: PathRule;
  /** Several roles may have the same rule, each at a place of its own. */
  readonly places: Location[];
}

function ruleKey({ table, part, text, limit }: PathRule): string {
  return JSON.stringify([table, part, text, limit]);
}

function numberRules(rules: readonly PathRule[]): Map<string, NumberedRule> {
  const numbered = new Map<string, NumberedRule>();
  for (const rule of rules) {
    if (rule.text === EVERY_ROW && rule.limit === undefined) continue;
    const key = ruleKey(rule);
    const { place } = rule;
    const known = numbered.get(key);
    if (!known) numbered.set(key, { number: numbered.size + 1, rule, places: place ? [place] : [] });
    else if (place && !known.places.some((other) => placeText(other) === placeText(place)))
      known.places.push(place);
  }
  return numbered;
}

function pathLines(access: string, path: AccessPath, rules: ReadonlyMap<string, NumberedRule>): string[] {
  const numbers = path.rules.flatMap((rule) => rules.get(ruleKey(rule))?.number ?? []);
  const rows =
    path.via === 'saved operation' && path.access === 'write'
      ? ''
      : numbers.length > 0
        ? `rows ${numbers.map((number) => `[${number}]`).join('')}`
        : 'every row';
  const marks = [
    ...(path.possible ? ['possible'] : []),
    ...(path.backendOnly ? ['trusted callers only'] : []),
    ...(path.note ? [path.note] : []),
  ];
  const head = `  ${access.padEnd(7)}${path.via.padEnd(22)}`;
  const tail = [rows, ...marks].filter(Boolean).join('; ');
  return wrap(`${fieldNames(path.fields)}  –  ${tail}`, WIDTH - head.length).map((line, index) =>
    index === 0 ? `${head}${line}` : `${' '.repeat(head.length)}${line}`,
  );
}

/** Joins names with their common beginning written once: `where and order_by of a.x, b.y`. */
function fieldNames(fields: readonly string[]): string {
  const beginning = (field = '') => field.slice(0, field.lastIndexOf(' ') + 1);
  return fields
    .map((field, index) =>
      beginning(field) === beginning(fields[index - 1]) ? field.slice(beginning(field).length) : field,
    )
    .join(', ');
}

function ruleLines({ number, rule, places }: NumberedRule, vocabulary: Vocabulary): string[] {
  const { table, part, text, limit } = rule;
  const shown = places.map((place, index) =>
    place.file === places[index - 1]?.file ? `:${place.line}` : placeText(place),
  );
  const head = `  [${number}] ${table}, ${part}${shown.length > 0 ? `   ${shown.join(', ')}` : ''}`;
  const body = `${ruleWords(text, vocabulary)}${limit === undefined ? '' : `; at most ${limit} rows of a list`}`;
  return [head, ...wrap(body, WIDTH - 6).map((line) => `      ${line}`)];
}

function placeText({ file, line }: Location): string {
  return `${file}:${line}`;
}

function foreignLines(foreign: readonly Location[]): string[] {
  if (foreign.length === 0) return [];
  return [
    '',
    'Not in this answer, because no compiler wrote them; read them by eye:',
    ...foreign.map((place) => `  ${placeText(place)}`),
  ];
}

/** Breaks a text at blanks. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

const LETTERS: Readonly<Record<string, string>> = { select: 'r', insert: 'i', update: 'u', delete: 'd' };

/** `engine audit matrix`: a line a table, a column a role. */
export function matrixText(matrix: Matrix): string {
  const index = permissionsByCell(matrix);
  const nameWidth = Math.max(
    5,
    ...matrix.tables.map(({ source, name }) => tableLabel(matrix, source, name).length),
  );
  const widths = matrix.roles.map((role) => Math.max(5, role.length));
  const row = (cells: readonly string[]) => cells.join('  ').trimEnd();
  const lines = [
    row(['table'.padEnd(nameWidth), ...matrix.roles.map((role, at) => role.padEnd(widths[at]!))]),
    ...matrix.tables.map(({ source, key, name }) =>
      row([
        tableLabel(matrix, source, name).padEnd(nameWidth),
        ...matrix.roles.map((role, at) =>
          cell(index.get(cellKey(source, key, role)) ?? []).padEnd(widths[at]!),
        ),
      ]),
    ),
  ];
  const functions = matrix.functions.map(
    ({ name, fields, changesData, definer }) =>
      `  ${name}${changesData ? ' (may change data)' : ''}${definer ? ' (security definer)' : ''}: ${Object.keys(fields).join(', ') || 'nobody'}`,
  );
  const operations = matrix.operations.map(
    ({ collection, name, roles, endpoints }) =>
      `  ${collection}.${name}: ${roles.join(', ') || 'nobody'}${endpoints.length > 0 ? `  (${endpoints.join(', ')})` : ''}`,
  );
  const actions = matrix.actions.map(
    ({ name, host, roles }) => `  ${name}: ${roles.join(', ') || 'nobody'}; sent to ${host}`,
  );
  const remotes = matrix.remoteSchemas.map(
    ({ name, roles }) => `  ${name}: permissions for ${Object.keys(roles).join(', ') || 'nobody'}`,
  );
  return `${[
    ...lines,
    '',
    'r read, i insert, u update, d delete; capital: no rule limits the rows. + aggregates.',
    ...(functions.length > 0 ? ['', 'Functions', ...functions] : []),
    ...(operations.length > 0 ? ['', 'Saved operations', ...operations] : []),
    ...(actions.length > 0 ? ['', 'Actions', ...actions] : []),
    ...(remotes.length > 0
      ? [
          '',
          `Remote schemas (every role may ask for all of them, unless the server has ${CLOSING_OPTION})`,
          ...remotes,
        ]
      : []),
    '',
    'The role admin may do everything.',
    ...(lines[0]!.length > 2 * WIDTH
      ? [`${matrix.roles.length} roles are wide for a terminal: --format html makes a page of them.`]
      : []),
    ...foreignLines(matrix.foreign),
  ].join('\n')}\n`;
}

function tableLabel({ tables }: Matrix, source: string, name: string): string {
  return tables.some((table) => table.source !== source) ? `${source} ${name}` : name;
}

function cell(permissions: readonly Permission[]): string {
  const letters = OPERATIONS.map((operation) => {
    const permission = permissions.find((each) => each.operation === operation);
    if (!permission) return '-';
    return isOpen(permission) ? LETTERS[operation]!.toUpperCase() : LETTERS[operation]!;
  }).join('');
  if (letters === '----') return '.';
  return `${letters}${permissions.some(({ aggregations }) => aggregations) ? '+' : ''}`;
}

/** `engine audit role`: everything one role may do. */
export function roleText(
  matrix: Matrix,
  role: string,
  vocabulary: Vocabulary,
  others: readonly string[] = [],
): string {
  const own = matrix.permissions.filter((permission) => permission.role === role);
  const lines = [`${role}   (${matrix.label})`, ''];
  for (const table of matrix.tables) {
    const permissions = own.filter(({ source, table: key }) => source === table.source && key === table.key);
    if (permissions.length === 0) continue;
    lines.push(
      tableHeading(table),
      ...permissions.flatMap((each) => permissionLines(each, table, each.operation, vocabulary)),
      '',
    );
  }
  const functions = matrix.functions.filter(({ fields }) => Object.hasOwn(fields, role));
  if (functions.length > 0)
    lines.push(
      'Functions',
      ...functions.map(
        ({ name, returns, changesData, definer, fields }) =>
          `  ${fields[role]!.join(', ')}  –  ${name}, rows of ${returns}${changesData ? '; may change data' : ''}${definer ? `; ${roleFactText({ fact: 'definer' })}` : ''}`,
      ),
      '',
    );
  const operations = matrix.operations.filter(({ roles }) => roles.includes(role));
  if (operations.length > 0)
    lines.push(
      'Saved operations',
      ...operations.map(
        ({ collection, name, kind, endpoints }) =>
          `  ${collection}.${name}  –  ${kind}${endpoints.length > 0 ? `, ${endpoints.join(', ')}` : ''}`,
      ),
      '',
    );
  lines.push(...others);
  if (own.length + functions.length + operations.length + others.length === 0)
    lines.push('It may do nothing.', '');
  return `${[...lines.slice(0, -1), ...foreignLines(matrix.foreign)].join('\n')}\n`;
}

/** `engine audit table`: what every role may do with one table. */
export function tableText(matrix: Matrix, table: AccessTable, vocabulary: Vocabulary): string {
  const lines = [`${tableHeading(table)}   (${matrix.label})`, ''];
  const own = matrix.permissions.filter(
    ({ source, table: key }) => source === table.source && key === table.key,
  );
  for (const operation of OPERATIONS) {
    const permissions = own.filter((each) => each.operation === operation);
    if (permissions.length === 0) continue;
    lines.push(
      operation,
      ...permissions.flatMap((each) => permissionLines(each, table, each.role, vocabulary)),
      '',
    );
  }
  if (own.length === 0) lines.push('No role but admin may do anything with it.', '');
  const functions = matrix.functions.filter(
    ({ returns, source }) => returns === table.key && source === table.source,
  );
  if (functions.length > 0)
    lines.push(
      'Functions that return its rows',
      ...functions.map(({ name, fields }) => `  ${name}: ${Object.keys(fields).join(', ') || 'nobody'}`),
      '',
    );
  return `${[...lines.slice(0, -1), ...foreignLines(matrix.foreign)].join('\n')}\n`;
}

function tableHeading({ source, key, kind }: AccessTable): string {
  return `${source} · ${key}${kind === 'table' ? '' : ` · ${kind}`}`;
}

function permissionLines(
  permission: Permission,
  table: AccessTable,
  label: string,
  vocabulary: Vocabulary,
): string[] {
  const { place, fields } = permission;
  const shown = eachAspect<Shown, ShownWith>(permission, SHOWN, vocabulary, permission, table);
  const extras = [
    ...shown.flatMap(({ extra }) => extra ?? []),
    ...(fields.length === 0 ? ['no root field'] : []),
  ];
  return [
    `  ${label}${place ? `   ${placeText(place)}` : ''}`,
    ...shown.flatMap(({ lines = [] }) => lines),
    ...(extras.length > 0 ? linesOf('and', extras.join('; ')) : []),
  ];
}

/** Lines of its own, or a phrase of the last line. */
interface Shown {
  readonly lines?: readonly string[];
  readonly extra?: string;
}

type ShownWith = [vocabulary: Vocabulary, permission: Permission, table: AccessTable];

const SHOWN: ByAspect<Shown, ShownWith, ShownAspect> = {
  columns: (columns, _, { operation, presets = {} }, table) => {
    const without = table.columns.filter(
      (column) =>
        !columns.includes(column) && (operation === 'select' || !Object.keys(presets).includes(column)),
    );
    const all = without.length === 0 && columns.length > 0;
    const hidden = all ? '' : `  (not: ${without.join(', ')})`;
    return { lines: linesOf('columns', `${columns.join(', ') || 'none'}${hidden}`) };
  },
  computedFields: (fields) => (fields.length > 0 ? { lines: linesOf('computed', fields.join(', ')) } : {}),
  where: (text, vocabulary, { operation, check }) => ({
    lines: [
      ...linesOf('rows', ruleWords(text, vocabulary)),
      ...(operation === 'update' && check === undefined && text !== EVERY_ROW
        ? linesOf('check', 'none: the row rule need not hold afterwards')
        : []),
    ],
  }),
  check: (text, vocabulary) => ({
    lines: linesOf('check', text === EVERY_ROW ? 'any row' : ruleWords(text, vocabulary)),
  }),
  checkMessage: (text) => ({ lines: linesOf('message', JSON.stringify(text)) }),
  presets: (texts, vocabulary) => ({ lines: linesOfEach('preset', texts, '=', vocabulary) }),
  cells: (texts, vocabulary) => ({ lines: linesOfEach('cell', texts, 'where', vocabulary) }),
  limit: (limit) => ({ extra: `at most ${limit} rows of a list` }),
  aggregations: () => ({ extra: 'aggregates' }),
  backendOnly: () => ({ extra: 'trusted callers only' }),
  validateInput: ({ url }) => ({ extra: `asks ${url} first` }),
};

function linesOf(name: string, text: string): string[] {
  return wrap(text, WIDTH - 14).map((line, index) => `    ${(index === 0 ? name : '').padEnd(10)}${line}`);
}

function linesOfEach(
  name: string,
  texts: Readonly<Record<string, string>>,
  verb: string,
  vocabulary: Vocabulary,
): string[] {
  return Object.entries(texts).flatMap(([column, text]) =>
    linesOf(name, `${column} ${verb} ${ruleWords(text, vocabulary)}`),
  );
}
