/** Facts of access files about relationships, proved again: a compiler writes those that hold, and a person may write any. */
import { follows } from '../../../runtime/core/condition/join.ts';
import type { Program } from '../../../runtime/core/program/program.ts';
import { provedAbout } from '../../../runtime/core/query/visible.ts';

/** Relationships along which statements leave a rule out that does not follow: `role: table, relationship`. */
export function unprovedFacts(program: Program): string[] {
  return [...program.roles].sort().flatMap((role) => {
    const roleSchema = program.roleSchema(role, true);
    return program.tables.flatMap((table) => {
      const from = roleSchema.table(table);
      return (from.select?.relationships ?? []).flatMap(({ relationship, visible }) => {
        const believed = provedAbout(from, relationship, visible);
        return believed && !follows(believed) ? [`${role}: ${table.key}, ${relationship.name}`] : [];
      });
    });
  });
}
