/** The result of a check for people: a terminal's text, and Markdown for a review comment. */
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
import { escapeMarkdown } from '../findings/text.ts';
import { type RoleChange, WEIGHTS, type Weight } from './change.ts';
import type { CheckResult } from './index.ts';

/** Text for a terminal. */
export function checkText(result: CheckResult): string {
  const lines = [`${result.base} → ${result.head}`];
  const section = (title: string, changes: readonly RoleChange[]) => {
    if (changes.length === 0) return;
    lines.push('', title);
    for (const { weight, roles, texts } of blocks(result, changes)) {
      lines.push(`  ${weight}${roles === '' ? '' : `  ${roles}`}`);
      for (const text of texts) lines.push(`    ${text}`);
    }
  };
  section('Saved operations and endpoints', result.operations);
  section('Schema', result.schemas);
  for (const role of result.roles.removed) lines.push('', `Role ${role} is no longer named.`);
  for (const role of result.roles.added) lines.push('', `Role ${role} is new.`);
  return `${[...lines, '', summary(result)].join('\n')}\n`;
}

/** Markdown for a review comment. Safe changes are folded away. */
export function checkMarkdown(result: CheckResult): string {
  const lines = ['### What clients will notice', '', summary(result)];
  const section = (title: string, changes: readonly RoleChange[], folded: boolean) => {
    if (changes.length === 0) return;
    lines.push('', folded ? `<details><summary>${title}</summary>` : `#### ${title}`, '');
    for (const { weight, roles, texts } of blocks(result, changes)) {
      lines.push(`**${weight}**${roles === '' ? '' : ` – ${roles}`}`, '');
      for (const text of texts) lines.push(`- ${escapeMarkdown(text)}`);
      lines.push('');
    }
    if (folded) lines.push('</details>');
  };
  section('Saved operations and endpoints', result.operations, false);
  section(
    'Schema',
    result.schemas.filter(({ weight }) => weight !== 'safe'),
    false,
  );
  section(
    'Safe changes of the schema',
    result.schemas.filter(({ weight }) => weight === 'safe'),
    true,
  );
  return `${lines.join('\n').trimEnd()}\n`;
}

interface Block {
  readonly weight: Weight;
  readonly roles: string;
  readonly texts: readonly string[];
}

/** Changes of one weight that the same roles meet, together. */
function blocks(result: CheckResult, changes: readonly RoleChange[]): Block[] {
  const grouped = new Map<string, { weight: Weight; roles: string; changes: RoleChange[] }>();
  for (const change of changes) {
    const roles = roleList(result, change.roles);
    const key = `${WEIGHTS.indexOf(change.weight)} ${roles}`;
    const block = grouped.get(key) ?? { weight: change.weight, roles, changes: [] };
    block.changes.push(change);
    grouped.set(key, block);
  }
  return [...grouped.values()].map(({ weight, roles, changes: all }) => ({
    weight,
    roles,
    texts: foldDerived(all),
  }));
}

function roleList({ schemas, operations }: CheckResult, roles: readonly string[]): string {
  const others = roles.filter((role) => role !== ADMIN_ROLE);
  const known = new Set([...schemas, ...operations].flatMap((change) => change.roles));
  if (roles.length > 5 && roles.length === known.size) return 'every role';
  return (roles.includes(ADMIN_ROLE) ? [...others, ADMIN_ROLE] : others).join(', ');
}

/** Types that exist for every table: a column that leaves a table leaves a dozen of them. */
const DERIVED =
  /^(.+?)_(aggregate|aggregate_bool_exp\w*|aggregate_fields|aggregate_order_by|append_input|arr_rel_(?:insert|update)_input|bool_exp|constraint|delete_\w+_input|enum_comparison_exp|inc_input|insert_input|(?:avg|max|min|stddev|stddev_pop|stddev_samp|sum|var_pop|var_samp|variance)_(?:fields|order_by)|mutation_response|obj_rel_(?:insert_input|update_input|updates)|on_conflict|order_by|pk_columns_input|prepend_input|related_\w+_input|select_column\w*|set_input|stream_cursor_\w+|update_column|updates)$/;

/** Maximum number of names in a folded line. */
const NAMES = 4;

function foldDerived(changes: readonly RoleChange[]): string[] {
  const lines: string[] = [];
  const folded = new Map<string, { subject: string; text: string }[]>();
  for (const { text } of changes) {
    const subject = subjectOf(text);
    const base = DERIVED.exec(subject.split('.')[0]!)?.[1];
    if (base) folded.set(base, [...(folded.get(base) ?? []), { subject, text }]);
    else lines.push(text);
  }
  for (const [base, derived] of folded) {
    if (derived.length === 1) {
      lines.push(derived[0]!.text);
      continue;
    }
    const names = [...new Set(derived.map(({ subject }) => subject))];
    const shown = names.slice(0, NAMES).join(', ');
    const more = names.length > NAMES ? ` and ${names.length - NAMES} more` : '';
    lines.push(`${derived.length} changes of types derived from ${base}: ${shown}${more}`);
  }
  return lines;
}

/** The type, and the field if there is one, that a text of graphql-js is about. */
export function subjectOf(text: string): string {
  const field = /^An? (?:optional|required) field (\w+) on input type (\w+) was added/.exec(text);
  if (field) return `${field[2]}.${field[1]}`;
  const value = /^(\w+) was (?:removed from|added to) enum type (\w+)/.exec(text);
  if (value) return `${value[2]}.${value[1]}`;
  const argument = /^An? (?:optional|required) arg \w+ on (\w+\.\w+) was added/.exec(text);
  if (argument) return argument[1]!;
  return /^(?:Type )?(\w+(?:\.\w+)?)/.exec(text)?.[1] ?? text;
}

function summary({ operations, schemas }: CheckResult): string {
  if (operations.length + schemas.length === 0) return 'Clients notice nothing.';
  const counts = (changes: readonly RoleChange[]) =>
    WEIGHTS.map((weight) => [changes.filter((change) => change.weight === weight).length, weight] as const)
      .filter(([number]) => number > 0)
      .map(([number, weight]) => `${number} ${weight}`)
      .join(', ');
  const parts = [
    ...(operations.length > 0 ? [`Saved operations and endpoints: ${counts(operations)}.`] : []),
    ...(schemas.length > 0 ? [`Schema: ${counts(schemas)}.`] : []),
  ];
  return parts.join(' ');
}
