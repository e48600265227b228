/** What Citus makes of each root field of each role, and of saved operations: one shard, all of them, or nothing. */
import { linkProgram } from '../../../runtime/core/program.ts';
import { savedSql } from '../../../runtime/core/saved-sql.ts';
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
import { isDistributed } from '../../../runtime/core/shards/index.ts';
import type { Verdict } from '../../../runtime/core/shards/shapes.ts';
import { fieldVerdicts, textsVerdict, verdictWords } from '../../../runtime/core/shards/verdicts.ts';
import { print } from '../../../runtime/core/sql/fragment.ts';
import type { GeneratedCode } from '../generated-code/index.ts';

export interface ShardsAudit {
  readonly label: string;
  /** Sources with distributed tables. */
  readonly sources: readonly string[];
  readonly verdicts: readonly AuditedVerdict[];
}

interface AuditedVerdict {
  readonly role: string;
  /** `query team`, `mutation insert_team`, `saved operation COLLECTION.NAME`. */
  readonly subject: string;
  readonly verdict: Verdict;
}

export function auditShards({ label, generated, program, roles }: GeneratedCode): ShardsAudit {
  const sources = program.sources.filter(isDistributed).map(({ name }) => name);
  if (sources.length === 0) return { label, sources, verdicts: [] };
  const marked = linkProgram(generated, { ...program.options, markRules: true });
  const names = [...(generated.withoutAdmin ? [] : [ADMIN_ROLE]), ...roles];
  const verdicts = names.flatMap((role): AuditedVerdict[] => [
    ...fieldVerdicts(marked.roleSchema(role, true)).map(({ operation, field, verdict }) => ({
      role,
      subject: `${operation} ${field}`,
      verdict,
    })),
    ...(generated.saved?.operations ?? []).flatMap(({ collection, name, plans = [], values: shared }) => {
      const texts = plans
        .filter(({ roles: allowed }) => allowed.includes(role))
        .flatMap(({ steps, values }) =>
          steps.flatMap((step) =>
            ('sql' in step ? [step] : step.statements).map(({ sql }) => {
              const saved = { sql, values: { ...shared, ...values } };
              return [step.source, print(savedSql(saved, step.source, role, marked)).text] as const;
            }),
          ),
        );
      const verdict = textsVerdict(texts, program.sources);
      return verdict ? [{ role, subject: `saved operation ${collection}.${name}`, verdict }] : [];
    }),
  ]);
  return { label, sources, verdicts };
}

/** `engine audit shards`. */
export function shardsText({ label, sources, verdicts }: ShardsAudit): string {
  if (sources.length === 0) return `No source has distributed tables.   (${label})\n`;
  const lines = [`Distributed tables in ${sources.join(', ')}   (${label})`];
  let role: string | undefined;
  const width = Math.max(...verdicts.map(({ subject }) => subject.length));
  for (const each of verdicts) {
    if (each.role !== role) lines.push('', each.role);
    role = each.role;
    lines.push(`  ${each.subject.padEnd(width)}  ${verdictWords(each.verdict)}`);
  }
  const count = (kind: Verdict['kind']) => verdicts.filter(({ verdict }) => verdict.kind === kind).length;
  lines.push(
    '',
    `${count('router')} router, ${count('reference')} reference, ${count('all shards')} all shards, ${count('refused')} refused`,
  );
  return `${lines.join('\n')}\n`;
}
