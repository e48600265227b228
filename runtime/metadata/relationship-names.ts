/**
 * Names of relationships that foreign keys suggest: the rules of `engine init` and of `suggest_relationships`.
 *
 * | Foreign key | Object relationship | On the other table |
 * |---|---|---|
 * | `article.author_id` → `users.id` | `author`: the column without `_id`, or without the column that it refers to | `articles`: the table, in the plural |
 * | `loan.tool_code` → `tool.code` | `tool` | `loans` |
 * | `Album.ArtistId` → `Artist.ArtistId` | `Artist`: names keep their style | `Albums` |
 * | `gig.type` → `gig_types.id` | `gig_type`: the column itself is a field already | `gigs` |
 * | `post.created_by`, `post.checked_by` → `users.id` | `created_by_user`, `checked_by_user` | `posts_by_created_by` … |
 * | `category.parent_id` → `category.id` | `parent` | `children` |
 * | `employee.manager_id` → `employee.id` | `manager` | `employees_by_manager` |
 * | `message.sender_id`, `message.recipient_id` → `users.id` | `sender`, `recipient` | `messages_by_sender`, `messages_by_recipient` |
 * | `profile.user_id`, unique → `users.id` | `user` | `profile`: at most one |
 * | `fine (tool_code, day)` → `loan (tool_code, day)` | `loan`: the table, in the singular | `fines` |
 * | `ticket (tenant_id, agent_id)` → `agent (tenant_id, id)` | `agent`: by the only column that is called otherwise there | `tickets` |
 *
 * A name that a field of the table has is not taken: the next of `candidates` is.
 */
import { pluralize, singularize } from 'inflection';
import { graphqlNameOf, type QualifiedName, upperFirst } from '../core/names.ts';

/** A foreign key: columns of a table and, at the same positions, the columns that they refer to. */
export interface NamedKey {
  readonly table: QualifiedName;
  readonly columns: readonly string[];
  readonly references: {
    readonly schema: string;
    readonly name: string;
    readonly columns: readonly string[];
  };
}

/** What the columns of a key say of the row that they refer to: `author_id` → `author`; undefined where they say nothing. */
function roleOf({ columns, references }: NamedKey): string | undefined {
  const pairs = columns.map((column, index) => [column, references.columns[index]!] as const);
  const telling = pairs.length === 1 ? pairs : pairs.filter(([own, other]) => own !== other);
  if (telling.length !== 1) return undefined;
  const [[own, other]] = telling as [readonly [string, string]];
  for (const suffix of new Set([other, 'id'])) {
    const stem = withoutSuffix(own, suffix);
    if (stem !== undefined) return stem === '' ? undefined : servedName(stem);
  }
  return servedName(own);
}

/** `author_id`, `authorId`, `AuthorID` without `id`; undefined where the name does not end so. */
function withoutSuffix(name: string, suffix: string): string | undefined {
  if (name.toLowerCase() === suffix.toLowerCase()) return '';
  const start = name.length - suffix.length;
  if (start < 1 || name.slice(start).toLowerCase() !== suffix.toLowerCase()) return undefined;
  const before = name.slice(0, start);
  if (/[_\s-]$/.test(before)) return before.replace(/[_\s-]+$/, '');
  return /[a-z0-9]$/.test(before) && /^[A-Z]/.test(name.slice(start)) ? before : undefined;
}

/**
 * Names for the object relationship that follows a key, the best first.
 * @param isOnly whether the table has no other key that refers there
 * @param isField whether a column of the table is shown under the name
 */
export function objectNames(key: NamedKey, isOnly: boolean, isField: (name: string) => boolean): string[] {
  const target = singular(servedName(key.references.name));
  const role = roleOf(key);
  const plain = role ?? target;
  return [
    plain,
    ...(role !== undefined && isField(role) && !sameWord(role, target)
      ? [...(isOnly ? [target] : []), joined(role, target)]
      : []),
    ...furtherNames(target, key, key.references.schema, key.table.schema),
  ];
}

/**
 * Names for the relationship from the table that a key refers to, the best first.
 * @param isSingle whether at most one row refers to each row
 * @param isOnly whether the table has no other key that refers there
 */
export function arrayNames(key: NamedKey, isSingle: boolean, isOnly: boolean): string[] {
  const { table, references } = key;
  const own = servedName(table.name);
  const name = isSingle ? singular(own) : plural(own);
  const role = roleOf(key) ?? singular(servedName(references.name));
  const isSelf = table.schema === references.schema && table.name === references.name;
  const names = furtherNames(name, key, table.schema, references.schema, role);
  if (isSelf && !isSingle && /^parent$/i.test(role))
    return [/^P/.test(role) ? 'Children' : 'children', ...names];
  const isPlain = !isSelf && (isOnly || sameWord(role, singular(servedName(references.name))));
  return isPlain ? [name, ...names] : names;
}

/** Names for where the better ones are taken: by the role, by a schema that is another, by the columns. */
function furtherNames(name: string, key: NamedKey, schema: string, from: string, role?: string): string[] {
  const columns = key.columns
    .map((column) => servedName(column))
    .reduce((left, right) => joined(left, right));
  return [
    ...(role === undefined ? [] : [joined(name, 'by', role)]),
    ...(schema === from ? [] : [joined(servedName(schema), name)]),
    joined(name, 'by', columns),
  ];
}

/** The name as GraphQL allows it; another where nothing of it is left that says something. */
export function servedName(name: string, instead = 'row'): string {
  const served = graphqlNameOf(name);
  return /[0-9A-Za-z]/.test(served) ? served : instead;
}

/** The first name that is free; numbered where none is. */
export function freeName(candidates: readonly string[], isFree: (name: string) => boolean): string {
  const found = candidates.find(isFree);
  if (found !== undefined) return found;
  for (let number = 2; ; number += 1) {
    const name = `${candidates.at(-1)}_${number}`;
    if (isFree(name)) return name;
  }
}

function sameWord(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

/** Joins words in the style that the first has: `messages_by_sender`, `messagesBySender`. */
function joined(...words: readonly string[]): string {
  const isCamel =
    words.some((word) => /[a-z0-9][A-Z]/.test(word)) && !words.some((word) => /[a-z]_/.test(word));
  return isCamel
    ? words.map((word, index) => (index === 0 ? word : upperFirst(word))).join('')
    : words.join('_');
}

function plural(name: string): string {
  return onLastWord(name, pluralize);
}

/** Only of what ends like a plural: `data` and `media` are no plurals in names of tables. */
function singular(name: string): string {
  return onLastWord(name, (word) =>
    /s$|^(people|children|men|women)$/i.test(word) ? singularize(word) : word,
  );
}

/** English endings of the last word of a name, in the case that it has. */
function onLastWord(name: string, change: (word: string) => string): string {
  const [word] = /[A-Z]?[a-z]+$|[A-Z]+$/.exec(name) ?? [];
  if (word === undefined) return name;
  const changed = change(word.toLowerCase());
  const cased =
    word.length > 1 && word === word.toUpperCase()
      ? changed.toUpperCase()
      : /^[A-Z]/.test(word)
        ? upperFirst(changed)
        : changed;
  return name.slice(0, name.length - word.length) + cased;
}
