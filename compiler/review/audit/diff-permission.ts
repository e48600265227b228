/** Compares permissions: columns, rules, presets and limits. */
import { isDeepStrictEqual } from 'node:util';
import type { Knowledge } from '../../../runtime/core/condition/knowledge.ts';
import { withOneNotation } from '../../../runtime/core/condition/notation.ts';
import { parseCondition } from '../../../runtime/core/condition/parse.ts';
import { compareConditions, implies, type RuleComparison } from '../../../runtime/core/condition/prove.ts';
import { readsSession } from '../../../runtime/core/condition/reads.ts';
import { readTokens, textOf } from '../../../runtime/core/condition/tokens.ts';
import { ruleWords } from '../../../runtime/core/condition/words.ts';
import type { Aspect, TableOperation } from '../../../runtime/core/contract/aspects.ts';
import { EVERY_ROW } from '../../../runtime/core/contract/shapes.ts';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import type { Finding, FindingSubject, Verdict } from './finding.ts';
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

const VERBS: Readonly<Record<TableOperation, { readonly verb: string; readonly of: string }>> = {
  select: { verb: 'read', of: 'read' },
  insert: { verb: 'insert', of: 'insert into' },
  update: { verb: 'update', of: 'update' },
  delete: { verb: 'delete', of: 'delete from' },
};
const MAY = { wider: 'may now', narrower: 'may no longer' } as const;

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
            `may no longer ${VERBS[permission.operation].of} ${permission.table}`,
          ),
        ],
  );
  return [
    ...lost,
    ...[...next].flatMap(([key, permission]) => {
      const was = old.get(key);
      return was
        ? comparePermission(was, permission, { knowledge, vocabulary })
        : [newPermission(permission, vocabulary)];
    }),
  ];
}

function about(
  permission: Permission,
  verdict: Verdict,
  subject: FindingSubject,
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
    `may now ${VERBS[permission.operation].of} ${permission.table}${list}`,
    {
      ...(rules.length > 0 && {
        after: rules
          .map((rule) => ruleWords(rule, vocabulary))
          .join(permission.operation === 'delete' ? '; check ' : '; afterwards '),
      }),
    },
  );
}

/** What is known of the tables, and the words of rules. */
interface Context {
  readonly knowledge: KnowledgeOf;
  readonly vocabulary: Vocabulary;
}

function comparePermission(was: Permission, now: Permission, context: Context): Finding[] {
  const findings: Finding[] = [];
  const add = (verdict: Verdict, subject: FindingSubject, text: string, rest: Partial<Finding> = {}) =>
    findings.push(about(now, verdict, subject, text, rest));
  for (const compare of Object.values(COMPARED)) compare(was, now, context, add);
  compareRoots(was, now, add);
  return findings;
}

type Compare = (was: Permission, now: Permission, context: Context, add: Add) => void;

const compareFlag =
  (name: 'aggregations' | 'backendOnly', on: readonly [Verdict, string], off: readonly [Verdict, string]) =>
  (was: Permission, now: Permission, _: Context, add: Add): void => {
    if (was[name] === now[name]) return;
    const [verdict, text] = now[name] ? on : off;
    add(verdict, 'operations', text);
  };

/** The comparison of each aspect, in the order of findings. Only conditions are proved; all else is compared as data. */
const COMPARED: Readonly<Record<Aspect, Compare>> = {
  columns: (was, now, _, add) =>
    compareLists(was.columns, now.columns, (verdict, names) =>
      add(verdict, 'columns', `${MAY[verdict]} ${VERBS[now.operation].verb} ${names.join(', ')}`),
    ),
  computedFields: (was, now, _, add) =>
    compareLists(was.computedFields, now.computedFields, (verdict, names) =>
      add(
        verdict,
        'columns',
        `${MAY[verdict]} read the computed ${names.length > 1 ? 'fields' : 'field'} ${names.join(', ')}`,
      ),
    ),
  where: (was, now, { knowledge, vocabulary }, add) =>
    compareRules(
      'the row rule',
      was.where,
      now.where,
      { knowledgeOf: () => knowledge(now, false), vocabulary },
      add,
    ),
  check: (was, now, { knowledge, vocabulary }, add) =>
    compareRules(
      'the check',
      demandedCheck(was, knowledge),
      demandedCheck(now, knowledge),
      { knowledgeOf: () => knowledge(now, now.operation !== 'delete'), vocabulary },
      add,
    ),
  cells: (was, now, { knowledge, vocabulary }, add) =>
    compareCells(was, now, { knowledgeOf: () => knowledge(now, false), vocabulary }, add),
  presets: (was, now, { vocabulary }, add) => comparePresets(was, now, vocabulary, add),
  limit: (was, now, _, add) => compareLimit(was.limit, now.limit, add),
  aggregations: compareFlag(
    'aggregations',
    ['wider', 'may now aggregate rows'],
    ['narrower', 'may no longer aggregate rows'],
  ),
  backendOnly: compareFlag(
    'backendOnly',
    ['narrower', 'only trusted callers may do it now'],
    ['wider', 'callers need not be trusted any more'],
  ),
  validateInput: (was, now, _, add) => compareValidation(was, now, add),
  // The root fields that they withhold are compared instead.
  queryRoots: () => {},
  subscriptionRoots: () => {},
  // It grants and denies nothing.
  checkMessage: () => {},
  canFail: () => {},
  // One that is not proved is a finding of its own.
  implies: () => {},
};

function compareRules(
  name: string,
  before: string | undefined,
  after: string | undefined,
  comparing: Comparing,
  add: Add,
): void {
  compareTexts(before ?? EVERY_ROW, after ?? EVERY_ROW, comparing, (comparison, shown) =>
    add(VERDICT_OF[comparison], 'rows', `${name} ${RULE_TEXTS[comparison]}`, shown),
  );
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
  const beyond = (some: Permission, others: Permission) =>
    some.roots.filter(
      ({ root, kind }) =>
        !isTold(kind) && !others.roots.some((other) => other.root === root && other.kind === kind),
    );
  const report = (roots: Permission['roots'], verdict: Verdict, text: string) => {
    const names = [...new Set(roots.map(({ root, kind }) => `${kind} (${root})`))];
    const fields = names.length > 1 ? 'fields' : 'field';
    if (names.length > 0) add(verdict, 'operations', `${text} the root ${fields} ${names.join(', ')}`);
  };
  const gained = beyond(now, was);
  // Groups show what aggregates of conditions show.
  const isNoMore = now.aggregations === true && gained.every(({ kind }) => kind === 'select_group_by');
  report(gained, isNoMore ? 'not wider' : 'wider', 'is offered');
  report(beyond(was, now), 'narrower', 'is no longer offered');
}

function compareValidation(was: Permission, now: Permission, add: Add): void {
  const [before, after] = [was.validateInput, now.validateInput];
  if (isDeepStrictEqual(before, after)) return;
  if (!after) add('wider', 'rows', 'no webhook has to agree to the input any more');
  else if (!before) add('narrower', 'rows', 'a webhook has to agree to the input now');
  else add('undecidable', 'rows', 'the webhook that has to agree to the input is asked differently');
}

type Difference = Exclude<RuleComparison, 'same'>;

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

type Add = (verdict: Verdict, subject: FindingSubject, text: string, rest?: Partial<Finding>) => void;

function compareLists(
  before: readonly string[] = [],
  after: readonly string[] = [],
  report: (verdict: keyof typeof MAY, names: readonly string[]) => void,
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
