/** The permissions of a new role, by whose the rows are. The compiler and the lint are asked: what they refuse is not proposed. */
import type { SourceCatalog } from '../../../runtime/catalog/catalog.ts';
import { isUnique, keysOf } from '../../../runtime/catalog/proven.ts';
import { OPERATIONS, type TableOperation } from '../../../runtime/core/contract/aspects.ts';
import { nearest } from '../../../runtime/core/diagnostics/nearest.ts';
import { keyOf } from '../../../runtime/core/names.ts';
import { quoteIdentifier } from '../../../runtime/core/sql/fragment.ts';
import type { JsonObject, Metadata } from '../../../runtime/metadata/metadata.ts';
import { type CompileInput, type CompileResult, compile } from '../../index.ts';
import { exportMetadata, readMetadata } from '../../phases/1-read/index.ts';
import { DEFAULT_PUBLIC_ROLES } from '../../review/lint/configuration.ts';
import type { LintFinding } from '../../review/lint/finding.ts';
import { lint } from '../../review/lint/index.ts';
import { placeTables } from '../../review/lint/place.ts';
import { decideTable, proposeTable, type TableProposal } from './propose-table.ts';
import { type Anchor, findWays, type JoinStep, joinStepsOf, PathError, type ServedTable } from './ways.ts';

export interface RoleRequest {
  readonly role: string;
  readonly anchors: readonly Anchor[];
  /** `TABLE=constraint[.constraint]` */
  readonly paths: readonly string[];
}

export interface ProposedRole {
  readonly source: string;
  /** Sorted by table. */
  readonly proposals: readonly TableProposal[];
  /** Keys of tables on which the role has permissions, which stay as they are. */
  readonly kept: readonly string[];
  /** Columns by which the rules search, and no index finds rows: table, column, and the statement that makes one. */
  readonly indexes: readonly {
    readonly table: string;
    readonly column: string;
    readonly statement: string;
  }[];
  /** Findings of the lint that the permissions bring, and that leaving them out would not mend. */
  readonly findings: readonly string[];
  /** The metadata with the permissions, and what it compiles to. */
  readonly metadata: Metadata;
  readonly compiled: CompileResult;
}

/** @throws PathError */
export function proposeRole(
  input: CompileInput,
  compiled: CompileResult,
  request: RoleRequest,
): ProposedRole {
  const { role, anchors } = request;
  if (input.metadata.inherited_roles.some(({ role_name }) => role_name === role) || role === 'admin')
    throw new PathError(
      `The role "${role}" has its permissions ${role === 'admin' ? 'always' : 'from the roles that it inherits from'}: name another.`,
    );
  const { source, catalog, tables } = sourceOf(input, compiled, anchors);
  for (const anchor of anchors) requireKey(tables.get(anchor.table)!, anchor);
  const chosen = new Map(request.paths.map((path) => readPath(path, tables)));
  const ways = anchors.map((anchor) => {
    const other = anchors.find((each) => each !== anchor)?.table;
    const own = new Map([...chosen].filter(([, steps]) => leadsTo(steps, anchor, anchors)));
    return [anchor, findWays(tables, anchor, other, own)] as const;
  });
  const entries = input.metadata.sources.find(({ name }) => name === source)!.tables;
  const kept = entries
    .filter((entry) =>
      OPERATIONS.some((each) => entry[`${each}_permissions`].some((one) => one.role === role)),
    )
    .map(({ table }) => keyOf(table));
  const decisions = new Map(
    [...tables.values()].map((table) => [
      table.key,
      decideTable(
        table,
        ways.map(([anchor, found]) => [anchor, found.get(table.key)!] as const),
        (step) => `${step.key.columns.join(', ')} → ${step.to}`,
      ),
    ]),
  );
  let proposals = [...tables.values()]
    .filter(({ key }) => !kept.includes(key))
    .map((table): TableProposal => {
      const decision = decisions.get(table.key)!;
      if (decision.kind === 'closed')
        return { table, ties: [], permissions: {}, remarks: [`closed: ${decision.why}`] };
      return proposeTable(table, decision, { tables, decisions, catalog: catalog.tables });
    });
  const before = new Set(lintOf(input, compiled).map(identityOf));
  for (;;) {
    const metadata = withPermissions(input, source, role, proposals);
    const next = compile({ ...input, metadata }, compiled);
    const findings = lintOf({ ...input, metadata }, next).filter((each) => !before.has(identityOf(each)));
    const refused = refusals(metadata, next, role, findings);
    const fewer = proposals.map((proposal) => without(proposal, refused.get(proposal.table.key)));
    if (fewer.every((proposal, index) => proposal === proposals[index])) {
      const indexes = findings.filter(({ diagnostic }) => diagnostic.code === 'rule-column-without-index');
      return {
        source,
        proposals: proposals.toSorted((left, right) => (left.table.key < right.table.key ? -1 : 1)),
        kept,
        indexes: indexes.map(({ tables: [table], columns: [column] }) => ({
          table: table!,
          column: column!,
          statement: `create index on ${quoteIdentifier(tables.get(table!)!.catalog.schema, tables.get(table!)!.catalog.name)} (${quoteIdentifier(column!)});`,
        })),
        findings: findings
          .filter((each) => !indexes.includes(each))
          .map(({ diagnostic }) => diagnostic.message),
        metadata,
        compiled: next,
      };
    }
    proposals = fewer;
  }
}

/** The source that has the tables of the anchors, and its tables. @throws PathError */
function sourceOf(input: CompileInput, compiled: CompileResult, anchors: readonly Anchor[]) {
  const candidates = compiled.state.model.sources.flatMap(({ shape: { name }, tables }) => {
    const catalog = input.catalogs[name];
    if (!catalog || 'error' in catalog) return [];
    const byKey = new Map(catalog.tables.map((table) => [keyOf(table), table]));
    const served = tables.map(({ key, shape }): [string, ServedTable] => [
      key,
      { key, shape, catalog: byKey.get(key)! },
    ]);
    return [{ source: name, catalog: catalog as SourceCatalog, tables: new Map(served) }];
  });
  const found = candidates.find(({ tables }) => anchors.every(({ table }) => tables.has(table)));
  if (found) return found;
  const all = candidates.flatMap(({ tables }) => [...tables.keys()]);
  const missing = anchors.find(({ table }) => !all.includes(table));
  if (!missing) throw new PathError('The owner and the tenant are in different sources.');
  const near = nearest(missing.table, all);
  throw new PathError(
    `The table "${missing.table}" is not served.${near === undefined ? '' : ` Did you mean "${near}"?`}`,
  );
}

/** A value that several rows share would tie sessions to rows of others. @throws PathError */
function requireKey({ key, catalog }: ServedTable, { kind, column }: Anchor): void {
  const names = catalog.columns.map(({ name }) => name);
  if (!names.includes(column)) {
    const near = nearest(column, names);
    throw new PathError(
      `The table "${key}" has no column "${column}".${near === undefined ? '' : ` Did you mean "${near}"?`}`,
    );
  }
  if (
    keysOf(catalog).some(
      (each) => each.columns.length === 1 && each.columns[0] === column && isUnique(catalog, each).holds,
    )
  )
    return;
  throw new PathError(
    `"${column}" of "${key}" is no key by itself: several rows may have one value, so it does not say who the ${kind} is. Name a column that is unique.`,
  );
}

/** `TABLE=constraint[.constraint]`; names may hold dots and equals signs. @throws PathError */
function readPath(text: string, tables: ReadonlyMap<string, ServedTable>): [string, JoinStep[]] {
  const spellings = [...tables.values()].flatMap((table): [string, ServedTable][] => [
    [table.key, table],
    ...(table.catalog.schema === 'public' ? [[table.catalog.name, table] as [string, ServedTable]] : []),
  ]);
  const found = spellings.find(([name]) => text.startsWith(`${name}=`));
  if (!found)
    throw new PathError(
      `--path ${text}: no table that is served. It is written TABLE=CONSTRAINT or TABLE=CONSTRAINT.CONSTRAINT.`,
    );
  const [name, start] = found;
  let rest = text.slice(name.length + 1);
  let table = start;
  const steps: JoinStep[] = [];
  for (;;) {
    const possible = joinStepsOf(table, tables);
    const step = possible
      .filter(({ key }) => rest === key.name || rest.startsWith(`${key.name}.`))
      .toSorted((left, right) => right.key.name.length - left.key.name.length)[0];
    if (!step)
      throw new PathError(
        `--path ${text}: "${rest}" is no foreign key of ${table.key} to a table that is served. Its keys: ${possible.map(({ key }) => key.name).join(', ') || 'none'}.`,
      );
    steps.push(step);
    if (rest === step.key.name) return [start.key, steps];
    rest = rest.slice(step.key.name.length + 1);
    table = tables.get(step.to)!;
  }
}

/** Whether chosen steps count for an anchor: those that end at another anchor count for that one only. */
function leadsTo(steps: readonly JoinStep[], anchor: Anchor, anchors: readonly Anchor[]): boolean {
  const end = steps.at(-1)!.to;
  return end === anchor.table || !anchors.some(({ table }) => table === end);
}

function lintOf(input: CompileInput, { state }: CompileResult): readonly LintFinding[] {
  const placed = placeTables(input.metadata, state.model, state.plan, input.catalogs);
  return lint(placed, { publicRoles: DEFAULT_PUBLIC_ROLES, allow: [] });
}

function identityOf({ diagnostic: { code, message } }: LintFinding): string {
  return JSON.stringify([code, message]);
}

type Refusals = ReadonlyMap<string, ReadonlyMap<TableOperation, string>>;

/** Permissions that the compiler or the lint has something against, by table. */
function refusals(
  metadata: Metadata,
  { diagnostics }: CompileResult,
  role: string,
  findings: readonly LintFinding[],
): Refusals {
  const refused = new Map<string, Map<TableOperation, string>>();
  const refuse = (table: string, operation: TableOperation, why: string) => {
    const known = refused.get(table) ?? new Map<TableOperation, string>();
    refused.set(table, known.set(operation, why));
  };
  for (const { path, severity, message } of diagnostics) {
    const [, source, , table, list, index] = path as (string | number)[];
    const entry = metadata.sources[source as number]?.tables.find((each) => each.path[3] === table);
    const operation = OPERATIONS.find((each) => list === `${each}_permissions`);
    if (severity !== 'error' || !entry || !operation) continue;
    const own = entry[`${operation}_permissions`].find((each) => each.path.at(-1) === index);
    if (own?.role === role) refuse(keyOf(entry.table), operation, message);
  }
  for (const { diagnostic, tables, role: whose, operation } of findings)
    if (operation && whose === role && diagnostic.code !== 'rule-column-without-index')
      refuse(tables[0]!, operation, diagnostic.message);
  return refused;
}

/** Without what is refused; without reading there is nothing. */
function without(
  proposal: TableProposal,
  refused: ReadonlyMap<TableOperation, string> | undefined,
): TableProposal {
  const isProposed = (operation: TableOperation) => proposal.permissions[operation] !== undefined;
  const found = [...(refused ?? [])].filter(([operation]) => isProposed(operation));
  if (found.length === 0) return proposal;
  const gone = new Set(refused?.has('select') ? OPERATIONS : found.map(([operation]) => operation));
  return {
    ...proposal,
    permissions: Object.fromEntries(
      Object.entries(proposal.permissions).filter(([operation]) => !gone.has(operation as TableOperation)),
    ),
    remarks: [...proposal.remarks, ...found.map(([operation, why]) => `no ${operation}: ${why}`)],
  };
}

/** The metadata with the proposed permissions after those that are there. */
function withPermissions(
  { metadata, vocabulary }: Pick<CompileInput, 'metadata' | 'vocabulary'>,
  source: string,
  role: string,
  proposals: readonly TableProposal[],
): Metadata {
  const byTable = new Map(proposals.map((each) => [each.table.key, each.permissions]));
  const exported = exportMetadata(metadata) as unknown as { sources: readonly JsonObject[] };
  const sources = exported.sources.map((each) =>
    each.name !== source
      ? each
      : {
          ...each,
          tables: (each.tables as readonly JsonObject[]).map((table) => {
            const permissions = byTable.get(
              keyOf(table.table as unknown as { schema: string; name: string }),
            );
            const added = OPERATIONS.flatMap((operation) => {
              const permission = permissions?.[operation];
              const key = `${operation}_permissions`;
              return permission
                ? [[key, [...((table[key] ?? []) as JsonObject[]), { role, permission }]]]
                : [];
            });
            return { ...table, ...Object.fromEntries(added) };
          }),
        },
  );
  return readMetadata({ ...exported, sources }, { vocabulary }).value;
}
