/**
 * What a change of generated code grants or takes, role by role: columns, rows, operations. Row rules are compared as
 * conditions; what cannot be shown either way is undecidable, and never called narrower.
 */
import type { Program, Table } from '../../runtime/core/program.ts';
import { ADMIN_ROLE } from '../../runtime/core/session.ts';
import { EVERY_ROW } from '../../runtime/core/shapes.ts';
import { type Comparison, compareRules } from '../condition/implication.ts';
import type { Location } from '../diagnostics/diagnostic.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import { auditMatrix, type Matrix, type Permission } from './matrix.ts';
import { ruleWords } from './rule-words.ts';
import { entrances } from './who.ts';

export type Verdict = 'wider' | 'undecidable' | 'narrower';
export const VERDICTS: readonly Verdict[] = ['wider', 'undecidable', 'narrower'];

type Subject = 'columns' | 'rows' | 'operations';

export interface Finding {
  readonly verdict: Verdict;
  readonly subject: Subject;
  /** Absent for what is not about one role. */
  readonly role?: string;
  readonly source?: string;
  readonly table?: string;
  readonly operation?: string;
  /** One sentence without a full stop. */
  readonly text: string;
  /** Rules in readable form, where they are what changed. */
  readonly before?: string;
  readonly after?: string;
  /** Where it stands now, or where it stood. */
  readonly place?: Location;
}

export interface AuditDiff {
  readonly base: string;
  readonly head: string;
  readonly findings: readonly Finding[];
}

/** Everything that became wider, narrower or undecidable, by verdict, role and table. */
export function diffCode(base: GeneratedCode, head: GeneratedCode): AuditDiff {
  const [before, after] = [auditMatrix(base), auditMatrix(head)];
  const findings = [
    ...permissionFindings(base, head, before, after),
    ...entranceFindings(base, head),
    ...functionFindings(before, after),
    ...savedFindings(base, head, before, after),
    ...shapeFindings(base, head),
    ...settingFindings(base, head),
    ...foreignFindings(base, head),
  ];
  const order = ({ verdict, role = '', table = '', operation = '' }: Finding) =>
    `${VERDICTS.indexOf(verdict)} ${role}\0${table}\0${operation}`;
  return {
    base: base.label,
    head: head.label,
    findings: findings.sort((left, right) => (order(left) < order(right) ? -1 : 1)),
  };
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

function permissionFindings(
  base: GeneratedCode,
  head: GeneratedCode,
  before: Matrix,
  after: Matrix,
): Finding[] {
  const old = new Map(before.permissions.map((permission) => [keyOf(permission), permission]));
  const next = new Map(after.permissions.map((permission) => [keyOf(permission), permission]));
  const doubtful = compositeColumns(base, head);
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
      return was ? comparePermission(was, permission, doubtful) : [newPermission(permission)];
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

function newPermission(permission: Permission): Finding {
  const { columns, where, check } = permission;
  const rules = [where, check].filter((text) => text !== undefined);
  const list = columns ? `: ${columns.join(', ') || 'no column'}` : '';
  return about(
    permission,
    'wider',
    'operations',
    `may now ${VERBS[permission.operation]} ${permission.table}${list}`,
    {
      ...(rules.length > 0 && { after: rules.map(ruleWords).join('; afterwards ') }),
    },
  );
}

function comparePermission(was: Permission, now: Permission, doubtful: Doubtful): Finding[] {
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
    compareTexts(before ?? EVERY_ROW, after ?? EVERY_ROW, doubtful, (verdict, shown) =>
      add(
        verdict,
        'rows',
        `${name} ${verdict === 'undecidable' ? 'cannot be compared' : `is ${verdict}`}`,
        shown,
      ),
    );
  rule('the row rule', was.where, now.where);
  rule('the check', was.check, now.check);
  compareCells(was, now, doubtful, add);
  comparePresets(was, now, add);
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
  return findings;
}

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

/** Names of columns with a composite type, for which `is not null` is not the opposite of `is null`. */
type Doubtful = ReadonlySet<string>;

function compositeColumns(...codes: readonly GeneratedCode[]): Doubtful {
  const names = new Set<string>();
  for (const { generated } of codes)
    for (const { access } of generated.tables)
      for (const [name, { type }] of Object.entries(access.table.columns)) {
        const kind = access.table.source.types[type]?.kind;
        if (kind === 'composite' || kind === 'row' || kind === 'domain') names.add(name);
      }
  return names;
}

function compareTexts(
  before: string,
  after: string,
  doubtful: Doubtful,
  report: (verdict: Verdict, shown: Pick<Finding, 'before' | 'after'>) => void,
): void {
  const verdict = judge(before, after, doubtful);
  if (verdict === 'same') return;
  const words = [ruleWords(before), ruleWords(after)] as const;
  // What differs in casts only differs in the texts themselves.
  const [old, next] = words[0] === words[1] ? [before, after] : words;
  report(verdict, { before: old, after: next });
}

function judge(before: string, after: string, doubtful: Doubtful): Comparison {
  if (before === after) return 'same';
  if (after === EVERY_ROW) return 'wider';
  if (before === EVERY_ROW) return 'narrower';
  const mentions = [...`${before} ${after}`.matchAll(/"((?:[^"]|"")*)"/g)].some(([, name]) =>
    doubtful.has(name!),
  );
  return mentions ? 'undecidable' : compareRules(before, after);
}

function compareCells(was: Permission, now: Permission, doubtful: Doubtful, add: Add): void {
  const shared = [...(now.columns ?? []), ...(now.computedFields ?? [])].filter(
    (name) => was.columns?.includes(name) || was.computedFields?.includes(name),
  );
  const cell = ({ cells }: Permission, name: string) =>
    cells && Object.hasOwn(cells, name) ? cells[name]! : EVERY_ROW;
  for (const name of shared)
    compareTexts(cell(was, name), cell(now, name), doubtful, (verdict, shown) =>
      add(
        verdict,
        'rows',
        verdict === 'undecidable'
          ? `the rows that show ${name} cannot be compared`
          : `the rows that show ${name} are ${verdict === 'wider' ? 'more' : 'fewer'}`,
        shown,
      ),
    );
}

function comparePresets(was: Permission, now: Permission, add: Add): void {
  const before = was.presets ?? {};
  const after = now.presets ?? {};
  for (const column of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, next] = [before[column], after[column]];
    if (old === next) continue;
    const shown = {
      ...(old !== undefined && { before: ruleWords(old) }),
      ...(next !== undefined && { after: ruleWords(next) }),
    };
    // A column that the client could give, or can give now, is told among the columns.
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
    } else add('undecidable', 'rows', `${column} is set to something else`, shown);
  }
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

/** Roles that could not reach a table's rows although they may read them, and now can; and the other way round. */
function entranceFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  return head.program.tables.flatMap((table) => {
    const old = sameTable(base.program, table);
    if (!old) return [];
    const may = (code: GeneratedCode, of: Table) => Object.keys(code.resolversOf(of).access.select ?? {});
    return may(head, table)
      .filter((role) => may(base, old).includes(role))
      .flatMap((role): Finding[] => {
        const [before, after] = [entrances(base, old, role), entrances(head, table, role)];
        const place = head.locate(head.resolversOf(table).access.select![role]!);
        const finding = (verdict: Verdict, text: string): Finding => ({
          verdict,
          subject: 'operations',
          role,
          source: table.source.name,
          table: table.key,
          operation: 'select',
          text,
          ...(place && { place }),
        });
        if (before.length === 0 && after.length > 0)
          return [finding('wider', `rows that no field led to are reached by ${after.join(', ')}`)];
        if (before.length > 0 && after.length === 0)
          return [finding('narrower', 'no field leads to its rows any more')];
        return [];
      });
  });
}

function sameTable(program: Program, table: Table): Table | undefined {
  return program.tables.find(({ key, source }) => key === table.key && source.name === table.source.name);
}

function functionFindings(before: Matrix, after: Matrix): Finding[] {
  const calls = ({ functions }: Matrix) =>
    new Map(
      functions.flatMap(({ source, name, fields, returns, changesData }) =>
        Object.keys(fields).map((role) => [
          JSON.stringify([source, name, role]),
          { source, name, role, returns, changesData },
        ]),
      ),
    );
  const [old, next] = [calls(before), calls(after)];
  const finding = (
    verdict: Verdict,
    {
      source,
      name,
      role,
      returns,
      changesData,
    }: ReturnType<typeof calls> extends Map<string, infer Call> ? Call : never,
  ): Finding => ({
    verdict,
    subject: 'operations',
    role,
    source,
    table: returns,
    text: `${verdict === 'wider' ? 'may now' : 'may no longer'} call the function ${name}${changesData ? ', which may change data' : ''}`,
  });
  return [
    ...[...next].flatMap(([key, call]) => (old.has(key) ? [] : [finding('wider', call)])),
    ...[...old].flatMap(([key, call]) => (next.has(key) ? [] : [finding('narrower', call)])),
  ];
}

/** Saved operations grant nothing by themselves, except where nothing else is answered: that is the allow-list's business. */
function savedFindings(base: GeneratedCode, head: GeneratedCode, before: Matrix, after: Matrix): Finding[] {
  const allowed = (code: GeneratedCode, roles: readonly string[]) =>
    new Map(
      (code.generated.saved?.allowlist ?? []).flatMap(({ collection, name, roles: listed, document }) =>
        (listed ?? roles).map((role) => [
          JSON.stringify([role, document]),
          { role, name: `${collection}.${name}` },
        ]),
      ),
    );
  // One that is new grants nothing: the role could send its text before.
  const known = ({ operations }: Matrix) =>
    new Set(operations.map(({ collection, name }) => `${collection}.${name}`));
  const [earlier, later] = [known(before), known(after)];
  const runs = ({ operations }: Matrix) =>
    new Map(
      operations
        .map(({ collection, name, roles }) => ({ name: `${collection}.${name}`, roles }))
        .filter(({ name }) => earlier.has(name) && later.has(name))
        .flatMap(({ name, roles }) =>
          roles.map((role) => [JSON.stringify([role, name]), { role, name }] as const),
        ),
    );
  const compare = (
    old: ReadonlyMap<string, { role: string; name: string }>,
    next: ReadonlyMap<string, { role: string; name: string }>,
    texts: readonly [string, string],
  ): Finding[] => [
    ...[...next].flatMap(([key, { role, name }]): Finding[] =>
      old.has(key)
        ? []
        : [{ verdict: 'wider', subject: 'operations', role, text: texts[0].replace('%', name) }],
    ),
    ...[...old].flatMap(([key, { role, name }]): Finding[] =>
      next.has(key)
        ? []
        : [{ verdict: 'narrower', subject: 'operations', role, text: texts[1].replace('%', name) }],
    ),
  ];
  return [
    ...compare(allowed(base, before.roles), allowed(head, after.roles), [
      'the allow-list lets through %',
      'the allow-list no longer lets through %',
    ]),
    ...compare(runs(before), runs(after), [
      'may now run the saved operation %',
      'may no longer run the saved operation %',
    ]),
  ];
}

/** Changes below the rules: what a view or computed field shows is decided in the database. */
function shapeFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  return head.program.tables.flatMap((table) => {
    const old = sameTable(base.program, table);
    if (!old) return [];
    const roles = Object.keys(head.resolversOf(table).access.select ?? {});
    const place = head.locate(table.shape);
    const finding = (role: string, text: string): Finding => ({
      verdict: 'undecidable',
      subject: 'columns',
      role,
      source: table.source.name,
      table: table.key,
      text,
      ...(place && { place }),
    });
    const findings: Finding[] = [];
    const select = (role: string) => head.resolversOf(table).access.select![role]!;
    // Code of an older compiler does not say where columns come from.
    const isKnown = old.shape.reads !== undefined || table.shape.reads === undefined;
    for (const role of roles) {
      for (const name of select(role).columns) {
        const [was, is] = [old.shape.columns[name]?.origin, table.shape.columns[name]?.origin];
        if (isKnown && old.shape.columns[name] && JSON.stringify(was) !== JSON.stringify(is))
          findings.push(
            finding(
              role,
              `column ${name} of the view shows ${is ? `${is.table}.${is.column}` : 'something computed'} now, not ${was ? `${was.table}.${was.column}` : 'something computed'}`,
            ),
          );
      }
      for (const [key, columns] of Object.entries(table.shape.reads ?? {})) {
        const more = columns.filter((name) => !old.shape.reads?.[key]?.includes(name));
        if (more.length > 0 && old.shape.reads)
          findings.push(
            finding(
              role,
              `the query of the view reads ${more.map((name) => `${key}.${name}`).join(', ')} now`,
            ),
          );
      }
      for (const name of select(role).computedFields ?? []) {
        const [was, is] = [
          old.shape.computedFields?.[name]?.function,
          table.shape.computedFields?.[name]?.function,
        ];
        if (was && is && (was.schema !== is.schema || was.name !== is.name))
          findings.push(
            finding(
              role,
              `the computed field ${name} is computed by ${is.schema}.${is.name} now, not by ${was.schema}.${was.name}`,
            ),
          );
      }
    }
    return findings;
  });
}

function settingFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const hidden = (code: GeneratedCode) => code.generated.introspectionDisabledFor ?? [];
  const finding = (verdict: Verdict, role: string, text: string): Finding => ({
    verdict,
    subject: 'operations',
    role,
    text,
  });
  return [
    ...hidden(base)
      .filter((role) => role !== ADMIN_ROLE && !hidden(head).includes(role))
      .map((role) => finding('wider', role, 'may now ask for the schema (introspection)')),
    ...hidden(head)
      .filter((role) => role !== ADMIN_ROLE && !hidden(base).includes(role))
      .map((role) => finding('narrower', role, 'may no longer ask for the schema (introspection)')),
  ];
}

function foreignFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const known = new Set(base.foreign.map(({ file, line }) => `${file.split('/').pop()}:${line}`));
  return head.foreign
    .filter(({ file, line }) => !known.has(`${file.split('/').pop()}:${line}`))
    .map((place) => ({
      verdict: 'undecidable',
      subject: 'operations',
      text: 'a resolver that no compiler wrote decides by itself what it shows',
      place,
    }));
}
