/** Runs the joins of a request, level by level: what one level finds may hold the values that the next one looks up. */
import { EngineError } from '../core/errors.ts';
import type { JoinLevels, JoinRequest, JoinTree, PlannedJoin } from '../core/join/join.ts';
import { arrayText } from '../core/join/key.ts';
import { gatherRows } from '../core/join/rows.ts';
import { createTuples, fill, type Spliced, splice, type Tuples } from '../core/join/splice.ts';
import { JsonScanner, MalformedJson } from '../core/json/scanner.ts';
import { remember } from '../core/remember.ts';
import { bindParameters } from '../core/request/bind.ts';
import { requireCurrent } from '../core/session.ts';
import { columnTexts } from '../database/text-query.ts';
import { callerOf, type Request, readSource, type StepRow } from './request.ts';

/**
 * Completes the answers of steps.
 * @param trees places of joins, by step and column
 * @returns the steps' rows with every join filled in
 * @throws EngineError as statements and calls do
 */
export async function runJoins(
  levels: JoinLevels,
  rows: readonly StepRow[],
  trees: readonly (readonly (JoinTree | undefined)[] | undefined)[],
  request: Request,
): Promise<readonly StepRow[]> {
  const collected = new Map<PlannedJoin, Tuples>();
  const collect = (join: PlannedJoin) => remember(collected, join, () => createTuples(join));
  const cut = (text: string | null, tree: JoinTree | undefined): Spliced => {
    if (text === null) return ['null'];
    return tree ? spliceAnswer(text, tree, collect) : [text];
  };
  const cutRows = rows.map((row, step) => row.map((text, column) => cut(text, trees[step]?.[column])));
  const results = new Map<PlannedJoin, readonly Spliced[]>();
  for (const level of levels) {
    const running = level.flatMap((lookup) => {
      const tuples = lookup.joins.map((join) => collected.get(join)?.list ?? []);
      return tuples.some((list) => list.length > 0)
        ? [{ lookup, found: lookUp(lookup, tuples, request) }]
        : [];
    });
    const found = await Promise.all(running.map((each) => each.found));
    running.forEach(({ lookup }, index) => {
      lookup.joins.forEach((join, position) => {
        results.set(
          join,
          found[index]![position]!.map((text) => cut(text, join.tree)),
        );
      });
    });
  }
  return cutRows.map((row) => row.map((spliced) => fill(spliced, results)));
}

function spliceAnswer(text: string, tree: JoinTree, collect: (join: PlannedJoin) => Tuples): Spliced {
  try {
    return splice(text, tree, collect);
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    throw new EngineError('unexpected', `an answer cannot be joined: ${error.message}`, { cause: error });
  }
}

/** For each join the result of each tuple. */
async function lookUp(
  lookup: JoinRequest,
  tuples: readonly (readonly (readonly string[])[])[],
  request: Request,
): Promise<readonly StepRow[]> {
  const { variables, session } = request;
  if (lookup.kind === 'call') {
    requireCurrent(session);
    const { join } = callerOf(lookup.caller, request);
    if (!join) throw new Error(`${lookup.caller} answers no joins`);
    const joins = lookup.parts.map((part, index) => ({ part, tuples: tuples[index]! }));
    return join({ group: lookup.group, joins }, request);
  }
  const { statement, source } = lookup;
  const arrayOf = (join: number, column: number) => arrayText(tuples[join]!.map((tuple) => tuple[column]));
  const values = bindParameters(statement, variables, session, arrayOf);
  const row = columnTexts(await readSource(source, statement, values, request));
  return row.map((text, index) => {
    const items = itemsOf(text ?? '[]');
    const form = lookup.forms[index]!;
    return form === 'ordered' ? items : gatherRows(items, tuples[index]!.length, form);
  });
}

function itemsOf(text: string): string[] {
  const scanner = new JsonScanner(text);
  const items: string[] = [];
  scanner.eachItem(() => items.push(scanner.slice()));
  return items;
}
