/** Facts of access files about relationships, proved again: a compiler writes those that hold, and a person may write any. */
import { follows } from '../../../runtime/core/condition/join.ts';
import type { Program, Table } from '../../../runtime/core/program/program.ts';
import { provedAbout } from '../../../runtime/core/query/visible.ts';
import { remember } from '../../../runtime/core/remember.ts';

/** Relationships along which statements leave a rule out that does not follow: `role: table, relationship`. */
export function unprovedFacts(program: Program): string[] {
  // Few rules say one, of thousands.
  const saying = new Map<string, Table[]>();
  for (const table of program.tables)
    for (const [role, { implies }] of Object.entries(program.access(table).select ?? {}))
      if (implies) remember(saying, role, (): Table[] => []).push(table);
  return [...saying.keys()].sort().flatMap((role) => {
    const roleSchema = program.roleSchema(role, true);
    return saying.get(role)!.flatMap((table) => {
      const from = roleSchema.table(table);
      return (from.select?.relationships ?? []).flatMap(({ relationship, visible }) => {
        const believed = provedAbout(from, relationship, visible);
        return believed && !follows(believed) ? [`${role}: ${table.key}, ${relationship.name}`] : [];
      });
    });
  });
}
