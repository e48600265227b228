/** What a change of the metadata does, before it is made: what the reviews of the command line say of both versions, and what differs. */
import { formatPatch, structuredPatch } from 'diff';
import { lineDifference } from '../../runtime/console/line-difference.ts';
import type { PreviewChange, ProposedVersion } from '../../runtime/console/preview-change.ts';
import type {
  PreviewAnswer,
  PreviewFile,
  PreviewLint,
  PreviewStatement,
} from '../../runtime/console/proposal-questions.ts';
import { formatPath } from '../../runtime/core/diagnostics/path.ts';
import { unlessRefused } from '../../runtime/core/errors.ts';
import type { Table } from '../../runtime/core/program/program.ts';
import { createPlanner, type Planner } from '../../runtime/core/request/planner.ts';
import { exportMetadata } from '../../runtime/metadata/export-metadata.ts';
import type { Metadata } from '../../runtime/metadata/metadata.ts';
import { differingFiles } from '../cli/metadata-folder.ts';
import { writtenSecrets } from '../cli/written-secrets.ts';
import type { CompileResult } from '../index.ts';
import type { Files } from '../phases/5-emit/index.ts';
import { diffCode } from './audit/diff.ts';
import { withDifferingRoles } from './audit/differing-roles.ts';
import { auditMatrix } from './audit/matrix.ts';
import { rootsOf } from './audit/roots.ts';
import { differenceOf } from './console-difference.ts';
import { type GeneratedCode, readTexts } from './generated-code/index.ts';
import { DEFAULT_PUBLIC_ROLES } from './lint/configuration.ts';
import { groupFindings } from './lint/finding.ts';
import { lint } from './lint/index.ts';
import { placeTables } from './lint/place.ts';

/** Files and statements that are shown; of a change of everything nobody reads more. */
const MAX_FILES = 40;
const MAX_STATEMENTS = 40;

/** A version, with what is judged of it. */
interface Judged {
  readonly version: ProposedVersion;
  readonly code: GeneratedCode;
  readonly findings: readonly PreviewLint[];
}

/** Keeps the served version, which most previews begin with. */
export function createPreview(): PreviewChange {
  let served: Judged | undefined;
  return (before, after, since) => {
    if (!served || !isSame(served.version, before)) served = judge('served', before, served);
    return preview(served, before, after, since);
  };
}

function preview(
  served: Judged,
  before: ProposedVersion,
  after: ProposedVersion,
  since: Metadata | null,
): ReturnType<PreviewChange> {
  const proposed = isSame(before, after) ? served : judge('proposed', after, served);
  const compared = withDifferingRoles(served.code, proposed.code);
  const { findings, notCompared } = diffCode(...compared);
  return {
    audit: { findings, notCompared },
    lint: {
      added: without(proposed.findings, served.findings),
      gone: without(served.findings, proposed.findings),
    },
    statements: statementsOf(...compared),
    ...filesOf(before.compilation.files, after.compilation.files),
    patch: patchOf(since, after.metadata),
    secrets: writtenSecrets(exportMetadata(after.metadata)).map(
      ({ path, instead }) => `${formatPath(path)}: ${instead}`,
    ),
  };
}

/** The same texts, and the same database for the advice. */
function isSame(left: ProposedVersion, right: ProposedVersion): boolean {
  return (
    left.metadata === right.metadata &&
    left.catalogs === right.catalogs &&
    left.compilation === right.compilation
  );
}

/** @param known another version, of which is taken over what is the same */
function judge(label: string, { metadata, catalogs, compilation }: ProposedVersion, known?: Judged): Judged {
  const version = { metadata, catalogs, compilation };
  const code = readTexts(
    { label, folder: 'generated', files: compilation.files, isFresh: true },
    known?.code,
  );
  return { version, code, findings: findingsOf(version) };
}

/** Findings that only the first list has. A finding is known by what it says: its place moves with others. */
function without(list: readonly PreviewLint[], other: readonly PreviewLint[]): PreviewLint[] {
  const texts = new Set(other.map(({ code, message }) => `${code} ${message}`));
  return list.filter(({ code, message }) => !texts.has(`${code} ${message}`));
}

function findingsOf({ metadata, compilation, catalogs }: ProposedVersion): PreviewLint[] {
  // What was compiled by this compiler has its state.
  const { state } = compilation as CompileResult;
  const placed = placeTables(metadata, state.model, state.plan, catalogs);
  const found = groupFindings(lint(placed, { publicRoles: DEFAULT_PUBLIC_ROLES, allow: [] }));
  return found.map(({ code, message, details = [] }) => ({ code, message: [message, ...details].join(' ') }));
}

/** A statement for each permission that differs: every row and column of the role, or written nulls. */
function statementsOf(base: GeneratedCode, head: GeneratedCode): PreviewStatement[] {
  const { cells } = differenceOf(auditMatrix(base), auditMatrix(head), head.program.vocabulary);
  const options = { stringifyNumbers: false, collapseNulls: false };
  const planner = createPlanner(head.program, options);
  const tables = new Map(head.program.tables.map((table) => [`${table.source.name} ${table.key}`, table]));
  const statements: PreviewStatement[] = [];
  for (const { source, name, role, permissions } of cells)
    for (const { operation, columns = [] } of permissions?.now ?? []) {
      if (statements.length === MAX_STATEMENTS) return statements;
      const table = tables.get(`${source} ${name}`);
      const root = table && rootsOf(head, role, table).find(({ kind }) => kind === operation);
      const sql = root && statementOf(planner, role, requestOf(operation, root.name, table, columns));
      if (sql !== undefined) statements.push({ role, source, table: name, operation, sql });
    }
  return statements;
}

function requestOf(
  operation: PreviewStatement['operation'],
  root: string,
  table: Table,
  columns: readonly string[],
): string {
  const fields = [...table.columns.values()].flatMap(({ name, field }) =>
    field !== undefined && columns.includes(name) ? [field] : [],
  );
  const values = `{${fields.map((field) => `${field}: null`).join(', ')}}`;
  switch (operation) {
    case 'select':
      return `query { ${root} { ${fields.join(' ') || '__typename'} } }`;
    case 'insert':
      return `mutation { ${root}(objects: [${values}]) { __typename } }`;
    case 'update':
      return `mutation { ${root}(where: {}${fields.length > 0 ? `, _set: ${values}` : ''}) { __typename } }`;
    case 'delete':
      return `mutation { ${root}(where: {}) { __typename } }`;
  }
}

/** Undefined for what the role may not ask so: an update without a column, say. */
function statementOf(planner: Planner, role: string, query: string): string | undefined {
  const { vocabulary } = planner.program;
  const session = { vocabulary, role, variables: { 'x-engine-role': role }, backendOnly: true };
  return unlessRefused(() => {
    const { plan } = planner.plan(session, { query });
    const statements =
      plan.kind === 'query'
        ? plan.steps.flatMap((step) => (step.kind === 'sql' ? [step.statement] : []))
        : plan.fields.flatMap((field) =>
            'source' in field && field.step.kind === 'write'
              ? field.step.statements.map(({ statement }) => statement)
              : [],
          );
    return statements.map(({ text }) => text).join(';\n');
  });
}

function filesOf(before: Files, after: Files): Pick<PreviewAnswer, 'files' | 'furtherFiles'> {
  const paths = [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path) && !LISTS.test(path))
    .sort((left, right) => rank(left) - rank(right) || (left < right ? -1 : 1));
  const files = paths.slice(0, MAX_FILES).map(
    (path): PreviewFile => ({
      path: `generated/${path}`,
      difference: lineDifference(before.get(path) ?? '', after.get(path) ?? ''),
    }),
  );
  return { files, furtherFiles: paths.length - files.length };
}

/** They say again what other files say. */
const LISTS = /^(manifest\.json|README\.md|index\.ts|inconsistencies\.json)$/;

function rank(path: string): number {
  if (path.startsWith('roles/')) return 0;
  return path.endsWith('.access.ts') ? 1 : 2;
}

/** The difference of two metadata folders in git's form, with paths from the folder on. */
function patchOf(before: Metadata | null, after: Metadata): string {
  return differingFiles(before, after)
    .map(({ path, before: old, after: young }) => {
      const [from, to] = [
        old === undefined ? '/dev/null' : `a/${path}`,
        young === undefined ? '/dev/null' : `b/${path}`,
      ];
      const patch = structuredPatch(from, to, old ?? '', young ?? '', undefined, undefined, { context: 3 });
      const kind = { isGit: true, isCreate: old === undefined, isDelete: young === undefined };
      return formatPatch({ ...patch, ...kind });
    })
    .join('');
}
