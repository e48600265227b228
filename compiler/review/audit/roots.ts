/** Which root fields a role is offered, and what they are about. */
import { entitiesOf } from '../../../runtime/core/federation/provider.ts';
import type { Table, TableFunction } from '../../../runtime/core/program.ts';
import type { RoleSchema } from '../../../runtime/core/schema/role-schema.ts';
import type { FieldDefinition } from '../../../runtime/core/schema/types.ts';
import type { GeneratedCode } from '../generated-code/index.ts';

type RootKind = 'query' | 'mutation' | 'subscription';

interface RootFieldOf {
  readonly root: RootKind;
  /** The name in a document; below a namespace `namespace.name`. */
  readonly name: string;
  /** `select`, `insert_one`, `function` and so on. */
  readonly kind: string;
}

export interface Roots {
  readonly ofTable: (table: Table) => readonly RootFieldOf[];
  readonly ofFunction: (entry: TableFunction) => readonly RootFieldOf[];
}

type Section = ReadonlyMap<string, { readonly field: string }>;

interface Fields {
  readonly query: Section;
  readonly subscription?: Section;
  readonly mutation: Section;
}

const known = new WeakMap<RoleSchema, Roots>();

/** The root fields of a role, by table and function; those for trusted callers too. */
export function rootsOf({ program }: GeneratedCode, role: string): Roots {
  const roleSchema = program.roleSchema(role, true);
  const found = known.get(roleSchema);
  if (found) return found;
  const offered = new Map<string, readonly string[]>();
  for (const root of ['query', 'mutation', 'subscription'] as const)
    for (const field of roleSchema.roots[root]?.fields().values() ?? []) add(offered, root, field, '');
  const of = ({ query, subscription = new Map(), mutation }: Fields): RootFieldOf[] =>
    // A subscription offers the fields of queries, too.
    Object.entries({ query, mutation, subscription: new Map([...query, ...subscription]) }).flatMap(
      ([root, fields]) =>
        [...fields].flatMap(([name, { field }]) =>
          (offered.get(`${root} ${name}`) ?? []).map((full) => ({
            root: root as RootKind,
            name: full,
            kind: field,
          })),
        ),
    );
  const entities = entitiesOf(roleSchema);
  const roots: Roots = {
    ofTable: ({ fields, names }) => [
      ...of(fields),
      // Whether or not the server that will serve this has Apollo federation enabled.
      ...(entities.has(names.object)
        ? [{ root: 'query' as const, name: '_entities', kind: 'select_by_pk' }]
        : []),
    ],
    ofFunction: ({ fields }) => of(fields),
  };
  known.set(roleSchema, roots);
  return roots;
}

function add(
  offered: Map<string, readonly string[]>,
  root: RootKind,
  field: FieldDefinition,
  prefix: string,
): void {
  const full = `${prefix}${field.name}`;
  if (field.meaning.kind === 'namespace') {
    const { type } = field;
    const inner = type.kind === 'nonNull' ? type.of : type;
    if (inner.kind === 'object')
      for (const each of inner.fields().values()) add(offered, root, each, `${full}.`);
    return;
  }
  if (!['query', 'stream', 'mutation'].includes(field.meaning.kind)) return;
  const key = `${root} ${field.name}`;
  offered.set(key, [...(offered.get(key) ?? []), full]);
}
