/** Compares saved operations and schemas of two versions, role by role. */
import { graphqlSchema } from '../../../runtime/core/schema/graphql-schema.ts';
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import { gatherChanges, type RoleChange, type WeighedChange, type Weight } from './change.ts';
import { endpointChanges, type OperationChange, operationChanges } from './operation-changes.ts';
import { schemaChanges } from './schema-changes.ts';

export interface CheckResult {
  readonly base: string;
  readonly head: string;
  /** Saved operations and endpoints; for endpoints `roles` is empty, because they belong to no role. */
  readonly operations: readonly RoleChange[];
  readonly schemas: readonly RoleChange[];
  readonly roles: { readonly added: readonly string[]; readonly removed: readonly string[] };
}

/** Compares two states of generated code. Role `admin` is compared like any other. */
export function checkCode(base: GeneratedCode, head: GeneratedCode): CheckResult {
  const roles = [ADMIN_ROLE, ...base.roles];
  const operations = new Map<string, readonly OperationChange[]>();
  const schemas = new Map<string, readonly WeighedChange[]>();
  for (const role of roles) {
    operations.set(role, operationChanges(base, head, role));
    if (schemaKey(base, role) === schemaKey(head, role)) continue;
    schemas.set(
      role,
      schemaChanges(
        graphqlSchema(base.program.roleSchema(role, false)),
        graphqlSchema(head.program.roleSchema(role, false)),
      ),
    );
  }
  const endpoints = endpointChanges(base, head).map((change) => ({ ...change, roles: [] }));
  return {
    base: base.label,
    head: head.label,
    operations: [...gatherChanges(operations), ...endpoints],
    schemas: gatherChanges(schemas),
    roles: {
      added: head.roles.filter((role) => !base.roles.includes(role)),
      removed: base.roles.filter((role) => !head.roles.includes(role)),
    },
  };
}

/** Memo: the generated code never changes. */
const keys = new WeakMap<GeneratedCode, Map<string, string>>();

/**
 * Everything that a role's schema depends on, as text: with equal ones the schemas are equal and need not be built, which takes
 * seconds for big ones. Row rules and limits are left out.
 */
function schemaKey(code: GeneratedCode, role: string): string {
  const known = keys.get(code) ?? new Map<string, string>();
  keys.set(code, known);
  const found = known.get(role);
  if (found !== undefined) return found;
  const shared = known.get('') ?? sharedKey(code);
  known.set('', shared);
  const own = code.generated.tables.map(({ select, insert, update, delete: remove }) =>
    [select, insert, update, remove].map((rules) =>
      rules && Object.hasOwn(rules, role) ? rules[role] : null,
    ),
  );
  const key =
    shared +
    JSON.stringify(own, (name, value) =>
      name === 'where' || name === 'check' || name === 'limit' ? 0 : value,
    );
  known.set(role, key);
  return key;
}

/** Shapes and root fields, which every role shares. */
function sharedKey({ generated }: GeneratedCode): string {
  const tables = generated.tables.map(({ table: { source, ...shape } }) => [source.name, shape]);
  const functions = generated.functions.map(({ source, ...shape }) => [source.name, shape]);
  return JSON.stringify([generated.sources, tables, functions]);
}

/** The heaviest weight that occurs; undefined when nothing changed. */
export function heaviest({ operations, schemas }: CheckResult): Weight | undefined {
  const all = [...operations, ...schemas].map(({ weight }) => weight);
  return (['breaking', 'dangerous', 'safe'] as const).find((weight) => all.includes(weight));
}
