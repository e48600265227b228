/** A proposed role in words. */
import { jsonText } from '../../../runtime/core/types.ts';
import type { Json } from '../../../runtime/metadata/metadata.ts';
import type { ProposedRole } from './propose-role.ts';
import type { TableProposal } from './propose-table.ts';
import { wayWords } from './ways.ts';

/** What trying the proposal came to. */
interface Tried {
  readonly cases: readonly unknown[];
  readonly without: readonly string[];
  readonly failed: readonly string[];
}

/** The proposal, by table, and what is to be done by hand. */
export function proposedRoleText(
  role: string,
  { proposals, kept, indexes, findings }: ProposedRole,
  tried: Tried,
): string {
  const open = proposals.filter(({ permissions }) => permissions.select);
  const closed = proposals.filter(({ permissions }) => !permissions.select);
  const parts = [
    `Role ${role}: ${open.length} tables open, ${closed.length} closed.`,
    ...open.map(openText),
    list(
      'Closed',
      closed.map(
        ({ table, remarks }) =>
          `${table.key}: ${remarks.map((each) => each.replace(/^closed: /, '')).join('; ')}`,
      ),
    ),
    list(`The role has permissions already, which stay as they are`, kept),
    list(
      'The rules search by columns without an index',
      indexes.map(({ statement }) => statement),
    ),
    list('The lint will say', findings),
    list('Not tried', tried.without),
    list('Failed', tried.failed),
    `${tried.cases.length} cases with rows of two owners passed.`,
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

function list(title: string, lines: readonly string[]): string {
  return lines.length === 0
    ? ''
    : `${title} (${lines.length}):\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

function openText({ table, ties, permissions, remarks }: TableProposal): string {
  const { select, insert, update } = permissions;
  const columns = (permission: { readonly columns?: Json } | undefined) =>
    ((permission?.columns ?? []) as readonly string[]).join(', ') || 'no columns of its choice';
  const lines = [
    `select  ${columns(select)}`,
    ...(insert ? [`insert  ${columns(insert)}${presetWords(insert.set)}`] : []),
    ...(update ? [`update  ${columns(update)}`] : []),
    ...(permissions.delete ? ['delete'] : []),
    ...[...new Set(remarks)].map((remark) => `(${remark})`),
  ];
  const where = ties.map(({ anchor, steps }) => wayWords(steps, anchor)).join(', and ');
  return `${table.key}  where ${where}\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

function presetWords(set: Json | undefined): string {
  if (set === undefined) return '';
  const values = Object.entries(set as Readonly<Record<string, Json>>).map(
    ([column, value]) => `${column} = ${typeof value === 'string' ? value : jsonText(value)}`,
  );
  return `; set by the server: ${values.join(', ')}`;
}
