/** What a role causes, and what limits it, beside permissions, functions and saved operations. */
import { eventFacts, limitFacts, roleFactText } from '../../../runtime/core/program/facts.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import { auditMatrix } from './matrix.ts';

export interface Causes {
  /** Calls that the role may make, and where they are sent. */
  readonly actions: readonly string[];
  /** Webhooks that its writes trigger. */
  readonly events: readonly string[];
  readonly limits: readonly string[];
}

export function causesOf(code: GeneratedCode, role: string): Causes {
  const { generated, program } = code;
  const { actions, permissions } = auditMatrix(code);
  const sources = generated.events ?? { sources: [], cron: [] };
  return {
    actions: actions
      .filter(({ roles }) => roles.includes(role))
      .map(({ name, kind, type, host }) => `${name}  –  ${kind} ${type}, sent to ${host}`),
    events: permissions.flatMap(({ role: of, source, table, operation }) => {
      if (of !== role || operation === 'select') return [];
      const beside = program.tables.filter((each) => each.source.name === source);
      const shapes = new Map(beside.map(({ key, shape }) => [key, shape]));
      return eventFacts(sources, source, table, operation, shapes).map(
        (fact) => `${operation} ${table} ${roleFactText(fact)}`,
      );
    }),
    limits: limitFacts(program.limits, role).map(roleFactText),
  };
}

/** Lines of `engine audit role`. */
export function causeLines({ actions, events, limits }: Causes): string[] {
  const section = (title: string, lines: readonly string[]) =>
    lines.length > 0 ? [title, ...lines.map((line) => `  ${line}`), ''] : [];
  return [...section('Actions', actions), ...section('Events', events), ...section('Limits', limits)];
}
