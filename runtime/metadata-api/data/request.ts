/** Runs legacy data operations on the same plans, connections and transactions as GraphQL. */

import { EngineError } from '../../core/errors.ts';
import type { MutationStep } from '../../core/mutation/step.ts';
import type { QualifiedName } from '../../core/names.ts';
import { createScope, type Scope } from '../../core/query/scope.ts';
import { MissingSessionVariable } from '../../core/request/bind.ts';
import { readStatement } from '../../core/request/plan.ts';
import { forShards, isDistributed } from '../../core/shards/index.ts';
import { stepForShards } from '../../core/shards/plans.ts';
import type { Sql } from '../../core/sql/fragment.ts';
import type { Vocabulary } from '../../core/vocabulary.ts';
import { runStatement, runWriteStep } from '../../graphql/execute.ts';
import type { Request } from '../../graphql/request.ts';
import { type DataOperation, findRequestedTable, type RequestedTable } from './table.ts';

/** The table that every data operation is about. */
export interface TableArguments {
  readonly source: string;
  readonly table: QualifiedName;
}

/** One operation of one requester. Paths of its errors begin with `$` for the arguments. */
export interface DataRequest {
  readonly table: RequestedTable;
  readonly scope: Scope;
  /** The JSON text of an expression. */
  readonly read: (expression: Sql) => Promise<string>;
  /** Runs a write in a transaction of its own; the JSON text of its answer. */
  readonly write: (step: MutationStep) => Promise<string>;
}

/** @throws EngineError for a table that is not tracked */
export function dataRequest(
  operation: DataOperation,
  { source, table: name }: TableArguments,
  request: Request,
): DataRequest {
  const { served, session } = request;
  const { program, options } = served.planner;
  const table = findRequestedTable(program, source, name, { role: session.role, operation });
  const { source: shape } = table;
  const roleView = program.roleSchema(session.role, session.backendOnly);
  return {
    table: { program, role: session.role, visible: roleView.table(table) },
    scope: createScope(roleView, options),
    read: (expression) =>
      inOwnWords(session.vocabulary, () =>
        runStatement(forShards(readStatement([expression], isDistributed(shape)), shape), source, request),
      ),
    write: (step) =>
      inOwnWords(session.vocabulary, async () => [
        await runWriteStep(stepForShards(step, shape), source, request),
      ]),
  };
}

/** This API names headers where GraphQL names session variables. */
async function inOwnWords(
  vocabulary: Vocabulary,
  run: () => Promise<readonly (string | null)[]>,
): Promise<string> {
  try {
    const [text] = await run();
    return text ?? 'null';
  } catch (error) {
    if (!(error instanceof MissingSessionVariable)) throw error;
    throw new EngineError(
      'not-found',
      `"${vocabulary.fromCanonical(error.variable)}" header is expected but not found`,
    );
  }
}
