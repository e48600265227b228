/** Verdicts of Citus on all that a role may ask: its root fields, and the saved operations that it may run. */
import type { Program } from '../program/program.ts';
import type { Verdict } from '../shards/shapes.ts';
import { fieldVerdicts, textsVerdict } from '../shards/verdicts.ts';
import { print } from '../sql/print.ts';
import type { SavedOperation } from './saved.ts';
import { savedSql } from './saved-sql.ts';

export interface RoleVerdict {
  /** `query team`, `mutation insert_team`, `saved operation COLLECTION.NAME`. */
  readonly subject: string;
  readonly verdict: Verdict;
}

/** @param program whose rules are holes: others refuse what is to be judged */
export function roleVerdicts(
  program: Program,
  operations: readonly SavedOperation[],
  role: string,
): RoleVerdict[] {
  const fields = fieldVerdicts(program.roleSchema(role, true)).map(({ operation, field, verdict }) => ({
    subject: `${operation} ${field}`,
    verdict,
  }));
  const saved = operations.flatMap(({ collection, name, plans = [], values: shared }): RoleVerdict[] => {
    const texts = plans
      .filter(({ roles }) => roles.includes(role))
      .flatMap(({ steps, values }) =>
        steps.flatMap((step) =>
          ('sql' in step ? [step] : step.statements).map(({ sql }) => {
            const text = { sql, values: { ...shared, ...values } };
            return [step.source, print(savedSql(text, step.source, role, program)).text] as const;
          }),
        ),
      );
    const verdict = textsVerdict(texts, program.sources);
    return verdict ? [{ subject: `saved operation ${collection}.${name}`, verdict }] : [];
  });
  return [...fields, ...saved];
}
