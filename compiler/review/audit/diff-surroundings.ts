/** Compares what surrounds permissions: paths to rows, functions, saved operations, shapes and settings. */
import type { Program, Table } from '../../../runtime/core/program.ts';
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
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

function sameTable(program: Program, table: Table): Table | undefined {
  return program.tables.find(({ key, source }) => key === table.key && source.name === table.source.name);
}

export function functionFindings(before: Matrix, after: Matrix): Finding[] {
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
export function savedFindings(
  base: GeneratedCode,
  head: GeneratedCode,
  before: Matrix,
  after: Matrix,
): Finding[] {
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
export function shapeFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  return head.program.tables.flatMap((table) => {
    const old = sameTable(base.program, table);
    if (!old) return [];
    const roles = Object.keys(head.accessOf(table).select ?? {});
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
    const select = (role: string) => head.accessOf(table).select![role]!;
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

export function settingFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
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
