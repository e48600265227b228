/**
 * Declared cases that would notice mutants which nothing notices, for a person to accept. Each was run before it is offered: it
 * passes now, and fails for the mutant.
 */
import { stringify } from 'yaml';
import type { SourceCatalog } from '../../../runtime/catalog/catalog.ts';
import { remember } from '../../../runtime/core/remember.ts';
import type { Planner } from '../../../runtime/core/request/planner.ts';
import type { DeclaredCase, RequestCase, SchemaCase } from './cases.ts';
import { answerOf, offeredTypes, runDeclared, type TrialsBySource } from './declared.ts';
import type { Mutant } from './mutants.ts';
import type { TestSubject } from './subjects.ts';
import { type RequestDraft, requestDrafts } from './suggest-requests.ts';

/** A case as its file has it. */
type Written<Case extends DeclaredCase> = Omit<Case, 'file' | 'line'>;

export interface Suggestion {
  readonly role: string;
  readonly case: Written<RequestCase> | Written<SchemaCase>;
  /** The mutants, as the report names them. */
  readonly notices: string[];
}

export interface SuggestInput {
  /** Of what is served. */
  readonly planner: Planner;
  readonly databases: TrialsBySource;
  readonly catalogs: Readonly<Record<string, SourceCatalog>>;
  /** Rules of what is served. */
  readonly subjects: readonly TestSubject[];
  /** Declared cases, of which sessions are taken. */
  readonly cases: readonly DeclaredCase[];
}

/** A mutant that nothing noticed. */
export interface Survivor {
  readonly mutant: Mutant;
  /** `role · kind · table: what`. */
  readonly label: string;
  readonly planner: Planner;
  /** The weakened rule. */
  readonly subject: TestSubject | undefined;
}

export interface Suggester {
  /** Finds a case for the mutant; false without one. */
  readonly suggest: (survivor: Survivor) => Promise<boolean>;
  readonly suggestions: readonly Suggestion[];
}

export function createSuggester(input: SuggestInput): Suggester {
  const { planner, databases } = input;
  const suggestions: Suggestion[] = [];
  const offered = new Map<string, Promise<ReadonlyMap<string, readonly string[]>>>();
  const isNoticedBy = async (each: Suggestion['case'], weakened: Planner) =>
    (await runDeclared(placed(each), weakened, databases)) !== undefined;

  /** What the role is offered: one case a role, to which types are added. */
  const byTypes = async ({
    mutant: { role, table },
    planner: weakened,
    label,
  }: Survivor): Promise<boolean> => {
    for (const trusted of [false, true]) {
      const caller = { role, ...(trusted && { trusted }) };
      const before = await remember(offered, JSON.stringify(caller), () => offeredTypes(caller, planner));
      const after = await offeredTypes(caller, weakened);
      const differing = [...new Set([...before.keys(), ...after.keys()])].filter(
        (type) => before.get(type)?.join() !== after.get(type)?.join(),
      );
      // One that is there and about the table is the quickest to read.
      const own = differing.filter((type) => type.startsWith(table.shape.graphqlName));
      const name = [...own, ...differing].find((type) => before.has(type)) ?? differing[0];
      if (name === undefined) continue;
      const types = { [name]: [...(before.get(name) ?? [])] };
      const added = { name: `What ${role} is offered${trusted ? ' as a trusted caller' : ''}`, ...caller };
      const known = suggestions.findIndex(({ case: each }) => 'types' in each && each.name === added.name);
      const earlier = suggestions[known];
      const whole = {
        ...added,
        types: {
          ...(earlier && 'types' in earlier.case && earlier.case.types),
          ...(before.has(name) ? types : { [name]: null }),
        },
      };
      if (!(await isProven(whole, weakened))) continue;
      const suggestion = { role, case: whole, notices: [...(earlier?.notices ?? []), label] };
      if (earlier) suggestions[known] = suggestion;
      else suggestions.push(suggestion);
      return true;
    }
    return false;
  };

  const isProven = async (each: Suggestion['case'], weakened: Planner) =>
    (await runDeclared(placed(each), planner, databases)) === undefined &&
    (await isNoticedBy(each, weakened));

  const byRequest = async (survivor: Survivor): Promise<boolean> => {
    const { mutant, planner: weakened, label } = survivor;
    for (const draft of await requestDrafts(input, survivor)) {
      const expect = await expectationOf(draft, planner, databases);
      if (!expect) continue;
      const same = suggestions.filter(({ case: each }) => each.name.startsWith(draft.name)).length;
      const found = { ...draft, name: `${draft.name}${same > 0 ? ` (${same + 1})` : ''}`, expect };
      if (!(await isProven(found, weakened))) continue;
      suggestions.push({ role: mutant.role, case: found, notices: [label] });
      return true;
    }
    return false;
  };

  return {
    suggestions,
    suggest: async (survivor) => {
      for (const { role, case: each, notices } of suggestions)
        if (role === survivor.mutant.role && (await isNoticedBy(each, survivor.planner))) {
          notices.push(survivor.label);
          return true;
        }
      return (await byTypes(survivor)) || (await byRequest(survivor));
    },
  };
}

function placed(each: Suggestion['case']): DeclaredCase {
  return { ...each, file: '', line: 0 };
}

/** What the request comes to now; undefined if that says nothing. */
async function expectationOf(
  draft: RequestDraft,
  planner: Planner,
  databases: TrialsBySource,
): Promise<RequestCase['expect'] | undefined> {
  const outcome = await answerOf({ ...draft, file: '', line: 0 }, planner, databases);
  if ('problem' in outcome) return undefined;
  // Refused by a check: other refusals would be those of a case that is not asked well.
  if ('error' in outcome)
    return outcome.error.code === 'permission-error' ? { error: outcome.error.code } : undefined;
  const [first] = Object.values(outcome.data);
  return Array.isArray(first) ? { rows: first.length } : { data: outcome.data };
}

/** A file of cases, each below the mutants that it notices. */
export function suggestionText(suggestions: readonly Suggestion[]): string {
  return suggestions
    .map(({ case: each, notices }) => {
      const comments = notices.map((notice) => `# Notices ${notice.replaceAll(/\s+/g, ' ')}\n`);
      return `${comments.join('')}${stringify([each], { lineWidth: 0, defaultStringType: 'PLAIN' })}`;
    })
    .join('\n');
}
