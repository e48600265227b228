/**
 * Parts that a program takes over from its predecessor: schemas of roles, and with them everything that was made for
 * those roles (types, parsed operations, plans).
 *
 * Why that is safe. The schema of a role, and every plan made with it, is a function of
 *   1. the shapes of tables and functions and the root fields that they declare;
 *   2. the rules of that one role in those access rules: `visibleTable` reads `rules[role]` and nothing else of them, and an
 *      admin's schema reads none;
 *   3. what providers offer the role, of which each gives a text;
 *   4. the vocabulary and the schema options, and whether the role may ask for the schema, which is part of its key.
 * Data does not come in, session variables and arguments are parameters of the plan, and databases are looked up by name
 * when a plan runs. So a schema is taken over if 1 is the identical data and 2 to 4 are equal; limits are checked on each
 * request by the planner of the program that it runs on. A schema goes on referring to the content that it was made from,
 * which says the same about its role.
 * @rule What does a new program take over from the one before?
 */

import { OPERATIONS, ruleOf } from '../contract/aspects.ts';
import type { TableAccess } from '../contract/shapes.ts';
import { sameOptions } from '../remember.ts';
import type { Provider } from '../schema/provider.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
import { ADMIN_ROLE } from '../session.ts';
import type { Program, ProgramContent, SchemaOptions } from './program.ts';

/** The schemas that hold in a program with this content, by key. */
export function takeOverSchemas(
  content: ProgramContent,
  options: SchemaOptions,
  previous: Program,
): Map<string, RoleSchema> {
  const kept = new Map<string, RoleSchema>();
  if (
    content.tables !== previous.tables ||
    content.functions !== previous.functions ||
    content.rootFields !== previous.rootFields ||
    content.vocabulary.word !== previous.vocabulary.word ||
    !sameOptions(options, previous.options)
  )
    return kept;
  const changed = content.tables.flatMap((table) => {
    const [before, after] = [previous.access(table), content.access(table)];
    return before === after ? [] : [[before, after] as const];
  });
  for (const [key, roleSchema] of previous.schemas) {
    if (!changed.every(([before, after]) => sameRules(before, after, roleSchema.role))) continue;
    if (offersTheSame(content.providers, previous.providers, roleSchema.role)) kept.set(key, roleSchema);
  }
  return kept;
}

/** Whether fields that need more than databases are offered to a role as before. */
function offersTheSame(
  now: readonly Provider[],
  before: readonly Provider[],
  role: string | undefined,
): boolean {
  return (
    now.length === before.length &&
    now.every(
      ({ name, offer }, index) => name === before[index]!.name && offer(role) === before[index]!.offer(role),
    )
  );
}

/** True if two versions of an access file are equal for a role. */
function sameRules(before: TableAccess, after: TableAccess, role: string | undefined): boolean {
  if (role === undefined || role === ADMIN_ROLE) return true;
  // Plain data, printed by one and the same template: equal rules have their keys in the same order.
  return OPERATIONS.every(
    (operation) =>
      JSON.stringify(ruleOf(before, operation, role)) === JSON.stringify(ruleOf(after, operation, role)),
  );
}
