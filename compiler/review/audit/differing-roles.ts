/**
 * The roles that two versions of generated code can differ for. What a role may do follows from shapes, from what is served beside tables,
 * and from the rules of that one role (see takeOverSchemas). Where only rules differ, the roles with other rules are compared, and no others.
 */
import { isDeepStrictEqual } from 'node:util';
import { OPERATIONS, ruleOf } from '../../../runtime/core/contract/aspects.ts';
import type { TableAccess } from '../../../runtime/core/contract/shapes.ts';
import type { Table } from '../../../runtime/core/program/program.ts';
import type { SavedProgram } from '../../../runtime/core/saved/saved.ts';
import type { GeneratedCode } from '../generated-code/index.ts';

/** Both versions with the roles that they can differ for; unchanged where more than rules differs. */
export function withDifferingRoles(
  base: GeneratedCode,
  head: GeneratedCode,
): readonly [GeneratedCode, GeneratedCode] {
  if (!differsInRulesOnly(base, head)) return [base, head];
  const roles = new Set(base.roles.filter((role) => !head.roles.includes(role)));
  for (const role of head.roles) if (!base.roles.includes(role)) roles.add(role);
  for (const [index, table] of base.program.tables.entries()) {
    const [was, is] = [base.accessOf(table), head.accessOf(head.program.tables[index]!)];
    if (was === is) continue;
    for (const operation of OPERATIONS) {
      // A rule says the same by the same text only.
      for (const role of [was, is].flatMap((access) => Object.keys(access[operation] ?? {})))
        if (JSON.stringify(ruleOf(was, operation, role)) !== JSON.stringify(ruleOf(is, operation, role)))
          roles.add(role);
    }
  }
  return [ofRoles(base, roles), ofRoles(head, roles)];
}

function differsInRulesOnly(base: GeneratedCode, head: GeneratedCode): boolean {
  const parts = ({ program, generated, databases }: GeneratedCode) => [
    program.options,
    program.sources,
    program.tables.map(({ shape }) => shape),
    program.functions.map(({ shape }) => shape),
    program.actions,
    program.remotes,
    generated.withoutAdmin,
    savedTexts(generated.saved),
    [...databases],
  ];
  return isDeepStrictEqual(parts(base), parts(head));
}

/** Statements are made of rules. */
function savedTexts(saved: SavedProgram | undefined): unknown {
  return (
    saved && [
      saved.operations.map(({ collection, name, document }) => [collection, name, document]),
      saved.allowlist,
      saved.routes.map(({ url, methods, operation }) => [url, methods, operation.collection, operation.name]),
    ]
  );
}

function ofRoles(code: GeneratedCode, roles: ReadonlySet<string>): GeneratedCode {
  const known = new Map<Table, TableAccess>();
  const accessOf = (table: Table): TableAccess => {
    const filtered = known.get(table) ?? onlyRoles(code.accessOf(table), roles);
    known.set(table, filtered);
    return filtered;
  };
  // What is found when it is asked for stays so.
  return Object.create(code, {
    roles: { value: code.roles.filter((role) => roles.has(role)) },
    accessOf: { value: accessOf },
  }) as GeneratedCode;
}

function onlyRoles({ table, ...rules }: TableAccess, roles: ReadonlySet<string>): TableAccess {
  const kept = OPERATIONS.flatMap((operation) => {
    const entries = Object.entries(rules[operation] ?? {}).filter(([role]) => roles.has(role));
    return entries.length > 0 ? [[operation, Object.fromEntries(entries)] as const] : [];
  });
  return { table, ...Object.fromEntries(kept) };
}
