/** Compares what surrounds permissions: paths to rows, functions, saved operations, shapes and settings. */
import { isDeepStrictEqual } from 'node:util';
import type { Below, RelationshipShape } from '../../../runtime/core/contract/shapes.ts';
import { operationKey } from '../../../runtime/core/names.ts';
import type { Program, Table } from '../../../runtime/core/program/program.ts';
import { remember } from '../../../runtime/core/remember.ts';
import { allowedTexts } from '../../../runtime/core/saved/allowed.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import { beyond } from './beyond.ts';
import type { Finding, Verdict } from './finding.ts';
import type { Matrix } from './matrix.ts';
import { entrances } from './ways.ts';

/** Roles that could not reach a table's rows although they may read them, and now can; and the other way round. */
export function entranceFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  return head.program.tables.flatMap((table) => {
    const old = sameTable(base.program, table);
    if (!old) return [];
    const may = (code: GeneratedCode, of: Table) => Object.keys(code.accessOf(of).select ?? {});
    return may(head, table)
      .filter((role) => may(base, old).includes(role))
      .flatMap((role): Finding[] => {
        const [before, after] = [entrances(base, old, role), entrances(head, table, role)];
        const place = head.locate(head.accessOf(table).select![role]!);
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

/** Memo: a program never changes. */
const tablesOf = new WeakMap<Program, ReadonlyMap<string, Table>>();

function tableNamed(program: Program, source: string, key: string): Table | undefined {
  const id = (of: string, name: string) => JSON.stringify([of, name]);
  const tables = remember(
    tablesOf,
    program,
    () => new Map(program.tables.map((table) => [id(table.source.name, table.key), table])),
  );
  return tables.get(id(source, key));
}

function sameTable(program: Program, { key, source }: Table): Table | undefined {
  return tableNamed(program, source.name, key);
}

/** Tracked functions that a role may call. */
export function functionFindings(before: Matrix, after: Matrix): Finding[] {
  const calls = ({ functions }: Matrix) =>
    functions.flatMap((called) => Object.keys(called.fields).map((role) => ({ ...called, role })));
  const gone = (from: Matrix, to: Matrix, verdict: Verdict, may: string) =>
    beyond(calls(from), calls(to), ({ source, key, role }) => [source, key, role]).map(
      ({ source, name, role, returns, changesData }): Finding => ({
        ...{ verdict, subject: 'operations', role, source, table: returns },
        text: `${may} call the function ${name}${changesData ? ', which may change data' : ''}`,
      }),
    );
  return [...gone(after, before, 'wider', 'may now'), ...gone(before, after, 'narrower', 'may no longer')];
}

/** Saved operations grant nothing by themselves, except where nothing else is answered: that is the allow-list's business. */
export function savedFindings(
  base: GeneratedCode,
  head: GeneratedCode,
  before: Matrix,
  after: Matrix,
): Finding[] {
  const allowed = ({ generated: { saved } }: GeneratedCode, roles: readonly string[]) =>
    (saved ? allowedTexts(saved) : []).flatMap(({ entry, comparable }) =>
      (entry.roles ?? roles).map((role) => ({ role, operation: entry, document: comparable() })),
    );
  // One that is new grants nothing: the role could send its text before.
  const known = ({ operations }: Matrix) => new Set(operations.map(operationKey));
  const [earlier, later] = [known(before), known(after)];
  const runs = ({ operations }: Matrix) =>
    operations
      .filter((operation) => earlier.has(operationKey(operation)) && later.has(operationKey(operation)))
      .flatMap((operation) => operation.roles.map((role) => ({ role, operation })));
  const report = (found: readonly Run[], verdict: Verdict, what: string) =>
    found.map(({ role, operation: { collection, name } }): Finding => {
      const text = `${what} ${collection}.${name}`;
      return { verdict, subject: 'operations', role, text };
    });
  const [was, is] = [allowed(base, before.roles), allowed(head, after.roles)];
  const byDocument = ({ role, document }: (typeof was)[number]) => [role, document];
  const byOperation = ({ role, operation }: Run) => [role, operationKey(operation)];
  return [
    ...report(beyond(is, was, byDocument), 'wider', 'the allow-list lets through'),
    ...report(beyond(was, is, byDocument), 'narrower', 'the allow-list no longer lets through'),
    ...report(beyond(runs(after), runs(before), byOperation), 'wider', 'may now run the saved operation'),
    ...report(
      beyond(runs(before), runs(after), byOperation),
      'narrower',
      'may no longer run the saved operation',
    ),
  ];
}

/** That a role may run a saved operation. */
interface Run {
  readonly role: string;
  readonly operation: { readonly collection: string; readonly name: string };
}

/** Changes below the rules: what a view, relationship or computed field shows, and what a write does beside its row. */
export function shapeFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  return head.program.tables.flatMap((table) => {
    const old = sameTable(base.program, table);
    if (!old) return [];
    const { shape } = table;
    const access = head.accessOf(table);
    const place = head.locate(shape);
    const finding = (role: string, subject: Finding['subject'], verdict: Verdict, text: string): Finding => ({
      ...{ verdict, subject, role, source: table.source.name, table: table.key, text },
      ...(place && { place }),
    });
    const readers = Object.entries(access.select ?? {}).flatMap(([role, select]): Finding[] => {
      const unclear = (text: string) => finding(role, 'columns', 'undecidable', text);
      const findings: Finding[] = [];
      if (old.shape.kind !== shape.kind)
        findings.push(unclear(`it is a ${shape.kind} now, not a ${old.shape.kind}`));
      for (const name of select.columns) {
        if (!old.shape.columns[name]) continue;
        const [was, is] = [originOf(old, name), originOf(table, name)];
        if (was === is) continue;
        const verdict = is !== undefined && !mayRead(head, role, table, is) ? 'wider' : 'undecidable';
        const text = `column ${name} shows ${is ?? 'something computed'} now, not ${was ?? 'something computed'}`;
        findings.push(finding(role, 'columns', verdict, text));
      }
      const [more, fewer] = [readsBeyond(shape, old.shape), readsBeyond(old.shape, shape)];
      if (old.shape.below?.reads && more.length > 0)
        findings.push(unclear(`the query of the view reads ${more.join(', ')} now`));
      if (shape.below?.reads && fewer.length > 0)
        findings.push(unclear(`the query of the view no longer reads ${fewer.join(', ')}`));
      for (const name of select.computedFields ?? []) {
        const [before, after] = [old, table].map((each) => each.shape.computedFields?.[name]);
        const read = before && after ? readsBeyond(after, before) : [];
        if (before?.below?.reads && read.length > 0)
          findings.push(unclear(`the computed field ${name} reads ${read.join(', ')} now`));
        const [was, is] = [before?.function, after?.function];
        if (was && is && (was.schema !== is.schema || was.name !== is.name))
          findings.push(
            unclear(
              `the computed field ${name} is computed by ${is.schema}.${is.name} now, not by ${was.schema}.${was.name}`,
            ),
          );
      }
      for (const [name, relationship] of Object.entries(old.shape.relationships ?? {})) {
        const { target } = relationship;
        const remains = Object.values(shape.relationships ?? {}).some((other) =>
          isDeepStrictEqual(ledTo(other), ledTo(relationship)),
        );
        const led = Object.hasOwn(accessOfKey(base, old, target)?.select ?? {}, role);
        if (led && !remains && !shape.relationships?.[name])
          findings.push(
            finding(role, 'columns', 'narrower', `the relationship ${name} no longer leads to ${target}`),
          );
      }
      for (const [name, relationship] of Object.entries(shape.relationships ?? {})) {
        const was = old.shape.relationships?.[name];
        const leads = Object.hasOwn(accessOfKey(head, table, relationship.target)?.select ?? {}, role);
        if (was && leads && JSON.stringify(ledTo(was)) !== JSON.stringify(ledTo(relationship)))
          findings.push(
            unclear(
              `the relationship ${name} leads to ${joinWords(relationship)} now, not ${joinWords(was)}`,
            ),
          );
      }
      return findings;
    });
    const writers = new Set(
      (['insert', 'update', 'delete'] as const).flatMap((operation) => Object.keys(access[operation] ?? {})),
    );
    const effects = old.shape.sideEffects === shape.sideEffects ? [] : [...writers].sort();
    const shown = shape.enumValues && !old.shape.enumValues ? rolesOfEnum(head, table) : [];
    return [
      ...readers,
      ...shown.map((role) =>
        finding(
          role,
          'columns',
          'wider',
          'the schema shows its values and their comments, as those of an enum',
        ),
      ),
      ...effects.map((role) =>
        finding(
          role,
          'operations',
          'undecidable',
          shape.sideEffects
            ? 'its writes may change other rows now'
            : 'its writes no longer change other rows',
        ),
      ),
    ];
  });
}

/** Roles that see a column whose values are those of an enum table. */
function rolesOfEnum(code: GeneratedCode, { key, source }: Table): string[] {
  const roles = code.program.tables
    .filter((table) => table.source.name === source.name)
    .flatMap((table) => {
      const { select = {}, insert = {}, update = {} } = code.accessOf(table);
      return [select, insert, update].flatMap((rules) =>
        Object.entries(rules).flatMap(([role, { columns }]) =>
          columns.some((name: string) => table.shape.columns[name]?.enumTable === key) ? [role] : [],
        ),
      );
    });
  return [...new Set(roles)].sort();
}

/** `public.attachment.storage_key`: where the value of a column is stored; undefined: it is computed. */
function originOf({ key, shape }: Table, name: string): string | undefined {
  const { origin } = shape.columns[name]!;
  if (origin) return `${origin.table}.${origin.column}`;
  return shape.kind === 'view' || shape.kind === 'materialized' ? undefined : `${key}.${name}`;
}

function mayRead(code: GeneratedCode, role: string, { source }: Table, origin: string): boolean {
  return code.program.tables.some(
    (table) =>
      table.source.name === source.name &&
      origin.startsWith(`${table.key}.`) &&
      code.accessOf(table).select?.[role]?.columns.includes(origin.slice(table.key.length + 1)),
  );
}

/** Columns that the query or body of one version reads, and that of the other does not. */
export function readsBeyond({ below }: { below?: Below }, other: { below?: Below }): string[] {
  return Object.entries(below?.reads ?? {}).flatMap(([key, columns]) =>
    columns.filter((name) => !other.below?.reads?.[key]?.includes(name)).map((name) => `${key}.${name}`),
  );
}

function accessOfKey(code: GeneratedCode, { source }: Table, key: string) {
  const table = tableNamed(code.program, source.name, key);
  return table && code.accessOf(table);
}

function joinWords({ target, columns, query, given = {} }: RelationshipShape): string {
  const pairs = Object.entries(columns).map(([own, other]) => `${other} = ${own}`);
  const values = Object.entries(given).map(([argument, own]) => `{{${argument}}} = ${own}`);
  return `${target}${query ? ` by ${query.name}` : ''} (${[...pairs, ...values].join(', ')})`;
}

/** The rows that a relationship leads to; what the SQL of a query means is compared with the query. */
function ledTo({ target, columns, nested, query, given }: RelationshipShape): readonly unknown[] {
  return [target, columns, nested, query?.name, given];
}

/** Edited files, saved statements that the rules do not give, and rules that are left out for no reason: what they do is compared nowhere else. */
export function editFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const finding = (text: string): Finding => ({ verdict: 'undecidable', subject: 'operations', text });
  return [
    ...head.edited
      .filter((path) => !base.edited.includes(path))
      .map((path) => finding(`${path}: it is not as the compiler wrote it`)),
    ...head.differing.map((name) =>
      finding(`the statements of the saved operation ${name} are not what the rules give`),
    ),
    ...head.unproved.map((fact) =>
      finding(
        `${fact}: by the access file the rule of the related table is not asked, but it does not follow`,
      ),
    ),
  ];
}

export function foreignFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
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
