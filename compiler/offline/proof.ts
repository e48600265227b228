/** Has Postgres prove the generated SQL, and says in the metadata's terms what it refuses. */
import { RULE_ALIAS } from '../../runtime/core/condition/rule.ts';
import { isQuotedName, placeTokens, unquoted } from '../../runtime/core/condition/tokens.ts';
import { messages } from '../../runtime/core/diagnostics/catalogue.ts';
import { at, type Diagnostic } from '../../runtime/core/diagnostics/diagnostic.ts';
import { objectKey } from '../../runtime/core/names.ts';
import { PROVED_ROW, type ProofSubject, proofsOf } from '../../runtime/core/program/proof.ts';
import type { ConnectionConfiguration } from '../../runtime/database/ways.ts';
import type { Json, Metadata, MetadataPath, TableEntry } from '../../runtime/metadata/metadata.ts';
import type { Origin } from '../../runtime/metadata/origin.ts';
import { prove, type RefusedProof, subjectText } from '../../runtime/program/verify/prove.ts';
import type { Plan } from '../model/plan.ts';
import { declaredIn } from '../phases/3-resolve/declared.ts';
import { programOf } from '../phases/4-plan/program.ts';
import { offsetOfPosition } from './sql-file.ts';

/** Characters of the statement shown on either side of what is wrong. */
const EXCERPT = 60;

export interface ProofResult {
  /** Statements that were prepared. */
  readonly count: number;
  readonly diagnostics: readonly Diagnostic[];
  /** Subjects of the refused statements, as `subjectText` names them. */
  readonly refused: readonly string[];
}

/**
 * Prepares the plan's statements in the databases of its sources; a source without one is passed over.
 * @throws as `pg` does when a database cannot be reached
 */
export async function provePlan(
  plan: Plan,
  databases: ReadonlyMap<string, ConnectionConfiguration>,
  metadata: Metadata,
  origin: Origin,
): Promise<ProofResult> {
  const proofs = proofsOf({ ...programOf(plan), ...(plan.saved && { saved: plan.saved }) });
  const { count, refusals } = await prove(proofs, databases);
  return {
    count,
    refused: refusals.flatMap(({ proof }) => proof.subjects.map(subjectText)).sort(),
    diagnostics: refusals
      .flatMap((each) => describe(each, metadata, origin))
      .sort((left, right) => comparePaths(left.path, right.path)),
  };
}

/** In an order that is the same for the same metadata: that of the document, within an object by key. */
function comparePaths(left: MetadataPath, right: MetadataPath): number {
  for (let index = 0; index < left.length && index < right.length; index += 1) {
    const [first, second] = [left[index]!, right[index]!];
    if (first !== second) return first < second ? -1 : 1;
  }
  return left.length - right.length;
}

/** A diagnostic at every object that holds the text; inherited roles are reported at their parents. */
function describe({ proof, error }: RefusedProof, metadata: Metadata, origin: Origin): Diagnostic[] {
  const places = proof.subjects.map((subject) => ({ subject, ...placeOf(subject, proof.source, metadata) }));
  const direct = places.filter(({ inherited }) => !inherited);
  const offset =
    error.position === undefined ? undefined : offsetOfPosition(proof.text, Number(error.position));
  return (direct.length > 0 ? direct : places).map(({ subject, path, rule }) => {
    const place = rule && offset !== undefined ? refine(path, rule, proof.text, offset) : path;
    const location = origin.locate(place);
    const problem = messages.sqlRefused({
      what: nameOf(subject),
      reason: error.message,
      detail: [error.detail, error.hint].filter((text) => text !== undefined).join(' ') || undefined,
      excerpt: offset === undefined ? undefined : excerpt(proof.text, offset),
    });
    return { ...at(place, problem), ...(location && { location }) };
  });
}

function nameOf(subject: ProofSubject): string {
  switch (subject.kind) {
    case 'rule':
      return `the row ${subject.part === 'check' ? 'check' : 'rule'} of ${permission(subject)}`;
    case 'preset':
      return `the preset of column "${subject.column}" of ${permission(subject)}`;
    case 'cell':
      return `the condition under which "${subject.column}" is shown of ${permission(subject)}`;
    case 'columns':
      return `the columns of ${subject.table}`;
    case 'relationship':
      return `the join of the relationship "${subject.name}" of ${subject.table}`;
    case 'computed field':
      return `the call of the computed field "${subject.name}" of ${subject.table}`;
    case 'function':
      return `the call of the function ${subject.name}`;
    case 'saved operation':
      return `a statement of the saved operation "${subject.name}" of ${subject.collection}`;
  }
}

function permission(subject: { operation: string; role: string; table: string }): string {
  return `role "${subject.role}" for ${subject.operation} on ${subject.table}`;
}

interface Place {
  readonly path: MetadataPath;
  /** The expression that became the text. */
  readonly rule?: Json;
  /** An inherited role, which has no permission of its own to point at. */
  readonly inherited?: true;
}

function placeOf(subject: ProofSubject, sourceName: string, metadata: Metadata): Place {
  const source = declaredIn(metadata.sources.find(({ name }) => name === sourceName)!);
  if (subject.kind === 'saved operation') {
    const collection = metadata.query_collections.find(({ name }) => name === subject.collection)!;
    const index = collection.definition.queries.findIndex(({ name }) => name === subject.name);
    return { path: [...collection.path, 'definition', 'queries', index] };
  }
  if (subject.kind === 'function') {
    const entry = source.functions.find(
      ({ function: { schema, name } }) => objectKey(schema, name) === subject.name,
    );
    return { path: entry?.path ?? source.path };
  }
  const table = source.tables.find(
    ({ table: { schema, name } }) => objectKey(schema, name) === subject.table,
  );
  if (!table) return { path: source.path };
  switch (subject.kind) {
    case 'columns':
      return { path: table.path };
    case 'relationship': {
      const all = [...table.object_relationships, ...table.array_relationships];
      return { path: all.find(({ name }) => name === subject.name)?.path ?? table.path };
    }
    case 'computed field':
      return { path: table.computed_fields.find(({ name }) => name === subject.name)?.path ?? table.path };
    default:
      return placeOfPermission(subject, table, metadata);
  }
}

const PARTS = {
  select: { where: 'filter', check: 'filter' },
  insert: { where: 'check', check: 'check' },
  update: { where: 'filter', check: 'check' },
  delete: { where: 'filter', check: 'check' },
} as const;

function placeOfPermission(
  subject: Extract<ProofSubject, { readonly role: string }>,
  table: TableEntry,
  metadata: Metadata,
): Place {
  const entries: readonly { role: string; path: MetadataPath; permission: object }[] =
    table[`${subject.operation}_permissions`];
  const entry = entries.find(({ role }) => role === subject.role);
  if (!entry) {
    const inherited = metadata.inherited_roles.find(({ role_name }) => role_name === subject.role);
    return { path: inherited?.path ?? table.path, inherited: true };
  }
  const path = [...entry.path, 'permission'];
  if (subject.kind !== 'rule')
    return { path: subject.kind === 'preset' ? [...path, 'set', subject.column] : path };
  const key = PARTS[subject.operation][subject.part];
  const rule = (entry.permission as Record<string, Json | undefined>)[key];
  return { path: [...path, key], ...(rule !== undefined && { rule }) };
}

/**
 * The comparison in the rule that the offset of the statement belongs to: that of the column named last before it. Falls
 * back on the rule where no key is called so.
 */
function refine(path: MetadataPath, rule: Json, text: string, offset: number): MetadataPath {
  const tokens = placeTokens(text) ?? [];
  const named = tokens
    .filter((token, index) => isQuotedName(token.text) && tokens[index - 1]?.text === '.')
    .map((token) => ({ name: unquoted(token.text), index: token.start }));
  const before =
    named.filter(({ index }) => index < offset).at(-1) ?? named.find(({ index }) => index >= offset);
  if (!before) return path;
  const occurrence = named.filter(({ name, index }) => name === before.name && index < before.index).length;
  const keys = [...pathsOf(rule, before.name, path)];
  return keys[Math.min(occurrence, keys.length - 1)] ?? path;
}

/** Paths of every key of this name below a value, in the order of the document. */
function* pathsOf(value: Json, key: string, path: MetadataPath): Generator<MetadataPath> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const place = [...path, Array.isArray(value) ? Number(name) : name];
    if (name === key && !Array.isArray(value)) yield place;
    yield* pathsOf(inner, key, place);
  }
}

/** The statement around an offset, on one line, with the aliases a reader need not know left out. */
function excerpt(text: string, offset: number): string {
  const start = Math.max(0, offset - EXCERPT);
  const end = Math.min(text.length, offset + EXCERPT);
  const part = `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
  return part
    .replace(/\s+/g, ' ')
    .replaceAll(`"${PROVED_ROW}".`, '')
    .replaceAll(new RegExp(`"${RULE_ALIAS}\\d+"\\.`, 'g'), '');
}
