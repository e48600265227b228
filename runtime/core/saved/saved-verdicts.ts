/** Verdicts of Citus on all that a role may ask: its root fields, and the saved operations that it may run. */
import { unlessRefused } from '../errors.ts';
import type { Program } from '../program/program.ts';
import { analyseOperation, casesOf, caseValues } from '../request/analyse.ts';
import { chooseOperation, parseDocument } from '../request/document.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
import type { ShardVerdict } from '../shards/shapes.ts';
import { fieldVerdicts, heaviestVerdict, verdictOfOperation } from '../shards/verdicts.ts';
import type { SavedOperation } from './saved.ts';

export interface RoleVerdict {
  /** `query team`, `mutation insert_team`, `saved operation COLLECTION.NAME`. */
  readonly subject: string;
  readonly verdict: ShardVerdict;
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
  const saved = operations.flatMap((operation): RoleVerdict[] => {
    const verdict = savedVerdict(program.roleSchema(role, false), operation);
    return verdict ? [{ subject: `saved operation ${operation.collection}.${operation.name}`, verdict }] : [];
  });
  return [...fields, ...saved];
}

/** The heaviest verdict of all cases, or of all values where there are too many; undefined where the role may not run it, or asks no distributed tables. */
function savedVerdict(roleSchema: RoleSchema, { document }: SavedOperation): ShardVerdict | undefined {
  return unlessRefused(() => {
    const operation = chooseOperation(parseDocument(document), undefined);
    const { used, samples } = analyseOperation(roleSchema, operation);
    const verdicts = (casesOf(operation, used) ?? [{}]).map((when) =>
      verdictOfOperation(roleSchema, operation, caseValues(when, samples)),
    );
    return heaviestVerdict(verdicts.flatMap((verdict) => verdict ?? []));
  });
}
