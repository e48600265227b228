/** Verdict of Citus on each root field of each role and on saved operations: one shard, all of them, or refused. */
import { linkProgram } from '../../../runtime/core/program/program.ts';
import { type RoleVerdict, roleVerdicts } from '../../../runtime/core/saved/saved-verdicts.ts';
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
import { isDistributed } from '../../../runtime/core/shards/index.ts';
import type { ShardVerdict } from '../../../runtime/core/shards/shapes.ts';
import { verdictWords } from '../../../runtime/core/shards/verdicts.ts';
import type { GeneratedCode } from '../generated-code/index.ts';

export interface ShardsAudit {
  readonly label: string;
  /** Sources with distributed tables. */
  readonly sources: readonly string[];
  readonly verdicts: readonly AuditedVerdict[];
}

interface AuditedVerdict extends RoleVerdict {
  readonly role: string;
}

export function auditShards({ label, generated, program, roles }: GeneratedCode): ShardsAudit {
  const sources = program.sources.filter(isDistributed).map(({ name }) => name);
  if (sources.length === 0) return { label, sources, verdicts: [] };
  const marked = linkProgram(generated, { ...program.options, ruleHoles: true });
  const names = [...(generated.withoutAdmin ? [] : [ADMIN_ROLE]), ...roles];
  const operations = generated.saved?.operations ?? [];
  const verdicts = names.flatMap((role) =>
    roleVerdicts(marked, operations, role).map((each): AuditedVerdict => ({ role, ...each })),
  );
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
  const count = (kind: ShardVerdict['kind']) =>
    verdicts.filter(({ verdict }) => verdict.kind === kind).length;
  lines.push(
    '',
    `${count('router')} router, ${count('reference')} reference, ${count('all shards')} all shards, ${count('refused')} refused`,
  );
  return `${lines.join('\n')}\n`;
}
