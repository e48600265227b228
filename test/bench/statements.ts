/** The SQL that the floors run: ours, as the planner writes it for a case, and the file written by hand. */

import { readFileSync } from 'node:fs';
import { bindParameters } from '../../runtime/core/request/bind.ts';
import type { Planner } from '../../runtime/core/request/planner.ts';
import type { Session } from '../../runtime/core/session.ts';
import { CANONICAL } from '../../runtime/core/vocabulary.ts';
import type { BenchCase, CaseRequest } from './cases.ts';

/** Where a parameter's value comes from in a request. */
export type ValueSource =
  | { readonly from: 'variable'; readonly name: string; readonly fallback: string | null }
  /** `name` is the header's. */
  | { readonly from: 'session'; readonly name: string }
  | { readonly from: 'constant'; readonly value: string | null };

/** A statement whose single row has one JSON text per root field, and the text around them. */
export interface FloorStatement {
  /** Of the prepared statement. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly ValueSource[];
  readonly parts: readonly (string | { readonly column: number })[];
}

/** Our statement for a case. @throws when its requests do not share one */
export function engineStatement(planner: Planner, { name, query, requests }: BenchCase): FloorStatement {
  const statements = requests.map((request) => {
    const session = sessionOf(request);
    const { plan, variables } = planner.plan(session, { query, variables: request.variables });
    const [step] = plan.kind === 'query' ? plan.steps : [];
    if (plan.kind !== 'query' || step?.kind !== 'sql' || plan.steps.length > 1)
      throw new Error(`the case "${name}" is not one statement`);
    const bound = bindParameters(step.statement, variables, session);
    const values = step.statement.parameters.map(({ source }, index): ValueSource => {
      if (source.from === 'session') return { from: 'session', name: source.name };
      if (source.from === 'variable' && source.path === '')
        return { from: 'variable', name: source.name, fallback: bound[index]! };
      return { from: 'constant', value: bound[index]! };
    });
    const parts = plan.answer.map((part) => {
      if (typeof part === 'string') return part;
      if ('step' in part) return { column: part.column };
      throw new Error(`the case "${name}" reads entities`);
    });
    return { name: `engine ${name}`, text: step.statement.text, values, parts };
  });
  const [first] = statements;
  if (!first || statements.some(({ text }) => text !== first.text))
    throw new Error(`the requests of the case "${name}" have different statements`);
  return first;
}

/** `-- $1 variable id`, `-- $2 session x-engine-user-id`, `-- $3 constant 1000`: the head of a hand-written file. */
export const PARAMETER = /^-- \$(\d+) (variable|session|constant|result)(?: (.+))?$/gm;

/** The statement written by hand for a case; it answers the same root fields as ours. */
export function handwrittenStatement(
  folder: string,
  { name }: BenchCase,
  { values: ours, parts }: FloorStatement,
): FloorStatement {
  const text = readFileSync(floorFile(folder, name), 'utf8');
  const values = [...text.matchAll(PARAMETER)].map(([, , from, value]): ValueSource => {
    if (from === 'constant') return { from, value: value! };
    if (from === 'session') return { from, name: value! };
    const same = ours.find((source) => source.from === 'variable' && source.name === value);
    return { from: 'variable', name: value!, fallback: same?.from === 'variable' ? same.fallback : null };
  });
  return { name: `floor ${name}`, text, values, parts };
}

function floorFile(folder: string, name: string): URL {
  return new URL(`floor/${folder}/${name.replaceAll(' ', '-')}.sql`, import.meta.url);
}

/** The values of a statement's parameters for a request. */
export function valuesOf({ values }: FloorStatement, request: CaseRequest): (string | null)[] {
  return values.map((source) => {
    if (source.from === 'constant') return source.value;
    if (source.from === 'session') return request.headers[source.name] ?? null;
    const value = request.variables[source.name];
    return value === undefined ? source.fallback : String(value);
  });
}

export function sessionOf({ headers }: CaseRequest): Session {
  return {
    vocabulary: CANONICAL,
    role: headers['x-engine-role'] ?? 'admin',
    variables: headers,
    backendOnly: false,
  };
}
