/** Compares permissions: columns, rules, presets and limits. */

import { isDeepStrictEqual } from 'node:util';
import type { Knowledge } from '../../../runtime/core/condition/knowledge.ts';
import { withOneNotation } from '../../../runtime/core/condition/notation.ts';
import { parseCondition } from '../../../runtime/core/condition/parse.ts';
import { type Comparison, compareConditions, implies } from '../../../runtime/core/condition/prove.ts';
import { readsSession } from '../../../runtime/core/condition/reads.ts';
import { readTokens, textOf } from '../../../runtime/core/condition/tokens.ts';
import { ruleWords } from '../../../runtime/core/condition/words.ts';
import { EVERY_ROW } from '../../../runtime/core/contract/shapes.ts';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import type { Finding, Subject, Verdict } from './finding.ts';
import { type KnowledgeOf, knowledgeOfBoth } from './knowledge.ts';
import type { Matrix, Permission } from './matrix.ts';

/** What texts of rules are compared by, and written in. */
interface Comparing {
  readonly knowledgeOf: () => Knowledge;
  readonly vocabulary: Vocabulary;
}

function keyOf({ role, source, table, operation }: Permission): string {
  return JSON.stringify([role, source, table, operation]);
}

const VERBS: Readonly<Record<string, string>> = {
  select: 'read',
  insert: 'insert into',
  update: 'update',
  delete: 'delete from',
};

/** Permissions that came, went or changed. */
export function permissionFindings(
  base: GeneratedCode,
  head: GeneratedCode,
  before: Matrix,
  after: Matrix,
): Finding[] {
  const old = new Map(before.permissions.map((permission) => [keyOf(permission), permission]));
  const next = new Map(after.permissions.map((permission) => [keyOf(permission), permission]));
  const knowledge = knowledgeOfBoth(base, head);
  const { vocabulary } = head.program;
  const lost = [...old].flatMap(([key, permission]) =>
    next.has(key)
      ? []
      : [
          about(
            permission,
            'narrower',
            'operations',
            `may no longer ${VERBS[permission.operation]} ${permission.table}`,
          ),
        ],
  );
  return [
    ...lost,
    ...[...next].flatMap(([key, permission]) => {
      const was = old.get(key);
      return was
        ? comparePermission(was, permission, knowledge, vocabulary)
        : [newPermission(permission, vocabulary)];
    }),
  ];
}

function about(
  permission: Permission,
  verdict: Verdict,
  subject: Subject,
  text: string,
  rest: Partial<Finding> = {},
): Finding {
  const { role, source, table, operation, place } = permission;
  return { verdict, subject, role, source, table, operation, text, ...(place && { place }), ...rest };
}

function newPermission(permission: Permission, vocabulary: Vocabulary): Finding {
  const { columns, where, check } = permission;
  const rules = [where, check].filter((text) => text !== undefined);
  const list = columns ? `: ${columns.join(', ') || 'no column'}` : '';
  return about(
    permission,
    'wider',
    'operations',
    `may now ${VERBS[permission.operation]} ${permission.table}${list}`,
    {
      ...(rules.length > 0 && {
        after: rules
          .map((rule) => ruleWords(rule, vocabulary))
          .join(permission.operation === 'delete' ? '; check ' : '; afterwards '),
      }),
    },
  );
}

function comparePermission(
  was: Permission,
  now: Permission,
  knowledge: KnowledgeOf,
  vocabulary: Vocabulary,
): Finding[] {
  const findings: Finding[] = [];
  const add = (verdict: Verdict, subject: Subject, text: string, rest: Partial<Finding> = {}) =>
    findings.push(about(now, verdict, subject, text, rest));
  const verb = VERBS[now.operation]!.split(' ')[0]!;
  compareLists(was.columns, now.columns, (verdict, names) =>
    add(
      verdict,
      'columns',
      `${verdict === 'wider' ? 'may now' : 'may no longer'} ${verb} ${names.join(', ')}`,
    ),
  );
  compareLists(was.computedFields, now.computedFields, (verdict, names) =>
    add(
      verdict,
      'columns',
      `${verdict === 'wider' ? 'may now' : 'may no longer'} read the computed ${names.length > 1 ? 'fields' : 'field'} ${names.join(', ')}`,
    ),
  );
  const rule = (name: string, before: string | undefined, after: string | undefined) =>
    compareTexts(
      before ?? EVERY_ROW,
      after ?? EVERY_ROW,
      { knowledgeOf: () => knowledge(now, name === 'the check' && now.operation !== 'delete'), vocabulary },
      (comparison, shown) => add(VERDICT_OF[comparison], 'rows', `${name} ${RULE_TEXTS[comparison]}`, shown),
    );
  rule('the row rule', was.where, now.where);
  rule('the check', demandedCheck(was, knowledge), demandedCheck(now, knowledge));
  compareCells(was, now, { knowledgeOf: () => knowledge(now, false), vocabulary }, add);
  comparePresets(was, now, vocabulary, add);
  compareLimit(was.limit, now.limit, add);
  const flag = (
    name: 'aggregations' | 'backendOnly',
    text: readonly [string, string],
    on: Verdict,
    off: Verdict,
  ) => {
    if (was[name] === now[name]) return;
    add(now[name] ? on : off, 'operations', now[name] ? text[0] : text[1]);
  };
  flag('aggregations', ['may now aggregate rows', 'may no longer aggregate rows'], 'wider', 'narrower');
  flag(
    'backendOnly',
    ['only trusted callers may do it now', 'callers need not be trusted any more'],
    'narrower',
    'wider',
  );
  compareValidation(was, now, add);
  compareRoots(was, now, add);
  return findings;
}

/** The check, unless every row that is checked satisfies it: that of a delete is evaluated for the rows of its rule. */
function demandedCheck(permission: Permission, knowledge: KnowledgeOf): string | undefined {
  const { operation, where, check } = permission;
  if (operation !== 'delete' || where === undefined || check === undefined) return check;
  const follows = implies(parseCondition(where), parseCondition(check), knowledge(permission, false));
  return follows ? undefined : check;
}

/** Kinds of root fields that lead to the rows; a field that only got another name is the same kind. */
function compareRoots(was: Permission, now: Permission, add: Add): void {
  // Aggregates are a finding of their own.
  const isTold = (kind: string) =>
    ['select_aggregate', 'select_group_by'].includes(kind) && was.aggregations !== now.aggregations;
  const kinds = ({ roots }: Permission) => [
    ...new Set(roots.flatMap(({ root, kind }) => (isTold(kind) ? [] : [`${kind} (${root})`]))),
  ];
  // Groups show what aggregates of conditions show.
  const isGroups = (name: string) => name.startsWith('select_group_by ') && now.aggregations === true;
  compareLists(kinds(was), kinds(now), (verdict, names) =>
    add(
      verdict === 'wider' && names.every(isGroups) ? 'not wider' : verdict,
      'operations',
      `${verdict === 'wider' ? 'is offered' : 'is no longer offered'} the root ${names.length > 1 ? 'fields' : 'field'} ${names.join(', ')}`,
    ),
  );
}

function compareValidation(was: Permission, now: Permission, add: Add): void {
  const [before, after] = [was.validateInput, now.validateInput];
  if (isDeepStrictEqual(before, after)) return;
  if (!after) add('wider', 'rows', 'no webhook has to agree to the input any more');
  else if (!before) add('narrower', 'rows', 'a webhook has to agree to the input now');
  else add('undecidable', 'rows', 'the webhook that has to agree to the input is asked differently');
}

type Difference = Exclude<Comparison, 'same'>;

const VERDICT_OF: Readonly<Record<Difference, Verdict>> = {
  wider: 'wider',
  different: 'wider',
  undecidable: 'undecidable',
  'not wider': 'not wider',
  narrower: 'narrower',
};

const RULE_TEXTS: Readonly<Record<Difference, string>> = {
  wider: 'is wider',
  different: 'lets through other rows, and none of those before',
  undecidable: 'cannot be compared',
  'not wider': 'lets through no other rows; whether it lets through fewer is not proved',
  narrower: 'is narrower',
};

const CELL_TEXTS: Readonly<Record<Difference, string>> = {
  wider: 'are more',
  different: 'are others, and none of those before',
  undecidable: 'cannot be compared',
  'not wider': 'are no others; whether they are fewer is not proved',
  narrower: 'are fewer',
};

type Add = (verdict: Verdict, subject: Subject, text: string, rest?: Partial<Finding>) => void;

function compareLists(
  before: readonly string[] = [],
  after: readonly string[] = [],
  report: (verdict: Verdict, names: readonly string[]) => void,
): void {
  const gained = after.filter((name) => !before.includes(name));
  const lost = before.filter((name) => !after.includes(name));
  if (gained.length > 0) report('wider', gained);
  if (lost.length > 0) report('narrower', lost);
}

function compareTexts(
  before: string,
  after: string,
  { knowledgeOf, vocabulary }: Comparing,
  report: (comparison: Difference, shown: Pick<Finding, 'before' | 'after'>) => void,
): void {
  // One text is one rule, even where nothing else is proved of it.
  if (before === after) return;
  const knowledge = knowledgeOf();
  // Foreign keys to other tables have nothing to do with the rules, and cost steps of the proof.
  const references = (knowledge.references ?? []).filter(({ to }) =>
    [before, after].some((text) => text.includes(to.replace(' . ', '.'))),
  );
  const verdict = compareConditions(parseCondition(before), parseCondition(after), {
    ...knowledge,
    references,
  });
  if (verdict === 'same') return;
  const words = [ruleWords(before, vocabulary), ruleWords(after, vocabulary)] as const;
  // Rules that differ only in casts are compared as texts.
  const [old, next] = words[0] === words[1] ? [before, after] : words;
  report(verdict, { before: old, after: next });
}

function compareCells(was: Permission, now: Permission, comparing: Comparing, add: Add): void {
  const shared = [...(now.columns ?? []), ...(now.computedFields ?? [])].filter(
    (name) => was.columns?.includes(name) || was.computedFields?.includes(name),
  );
  const cell = ({ cells }: Permission, name: string) =>
    cells && Object.hasOwn(cells, name) ? cells[name]! : EVERY_ROW;
  for (const name of shared)
    compareTexts(cell(was, name), cell(now, name), comparing, (comparison, shown) =>
      add(VERDICT_OF[comparison], 'rows', `the rows that show ${name} ${CELL_TEXTS[comparison]}`, shown),
    );
}

function comparePresets(was: Permission, now: Permission, vocabulary: Vocabulary, add: Add): void {
  const before = was.presets ?? {};
  const after = now.presets ?? {};
  for (const column of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, next] = [before[column], after[column]];
    if (old === next || (old !== undefined && next !== undefined && isSameValue(old, next))) continue;
    const shown = {
      ...(old !== undefined && { before: ruleWords(old, vocabulary) }),
      ...(next !== undefined && { after: ruleWords(next, vocabulary) }),
    };
    // A column that the client could give, or can give now, is reported among the columns.
    if (next === undefined) {
      const free = now.columns?.includes(column);
      add(
        free ? 'wider' : 'undecidable',
        'rows',
        free
          ? `${column} is no longer set by the server: clients choose it`
          : `${column} is no longer set by the server`,
        shown,
      );
    } else if (old === undefined) {
      add(
        was.columns?.includes(column) ? 'narrower' : 'undecidable',
        'rows',
        `${column} is set by the server now`,
        shown,
      );
    } else if (readsSession(old) && !readsSession(next))
      add('wider', 'rows', `${column} is no longer taken from the session`, shown);
    else add('undecidable', 'rows', `${column} is set to something else`, shown);
  }
}

/** Whether two literals are one value, which its type keeps in one form. */
function isSameValue(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => {
    const tokens = readTokens(text);
    return tokens && textOf(withOneNotation(tokens));
  });
  return left !== undefined && left === right;
}

function compareLimit(before: number | undefined, after: number | undefined, add: Add): void {
  if (before === after) return;
  const text = (limit: number | undefined) =>
    limit === undefined ? 'no limit' : `at most ${limit} rows of a list`;
  add((after ?? Infinity) > (before ?? Infinity) ? 'wider' : 'narrower', 'rows', 'the limit changed', {
    before: text(before),
    after: text(after),
  });
}
