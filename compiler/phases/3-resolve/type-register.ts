/**
 * Names of GraphQL types, each with its owner. They are unique over everything that some role can see, because introspection
 * knows a name once: two types of one name make the schema invalid for every client.
 * @rule Which names of types and root fields are taken, and by what?
 */

import type { SourceShape } from '../../../runtime/core/contract/shapes.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { clientFormOf, typesOfColumn, typesOfSource } from '../../../runtime/core/schema/reachable-types.ts';
import { BOOLEAN, FLOAT, ID, INT, STRING } from '../../../runtime/core/schema/shared-types.ts';
import type { NamedType } from '../../../runtime/core/schema/types.ts';
import { columnType } from '../../../runtime/core/types.ts';
import { Failure } from './report.ts';

/** A name that something needs. */
export interface TypeClaim {
  readonly name: string;
  /** Types with equal forms are one type (`clientFormOf`). Absent: nothing else can be this type. */
  readonly form?: string;
  /** The type is not in a schema that has actions and remote schemas, so those may use the name. */
  readonly apart?: true;
}

/** A name that is taken. */
export interface TakenType extends Omit<TypeClaim, 'name'> {
  readonly owner: string;
  /** The owner with its source, for those that are in none. */
  readonly ownerInSource?: string;
}

export interface TypeRegister {
  readonly taken: ReadonlyMap<string, TakenType>;
  /** Takes the names for the owner; none of them if one is taken. @throws Failure */
  readonly claim: (owner: string, claims: readonly TypeClaim[], ownerInSource?: string) => void;
  /** Takes the types that a column or argument of a type needs. @throws Failure */
  readonly claimColumnType: (owner: string, source: SourceShape, key: string) => void;
}

/** A register with the names of every API. */
export function createTypeRegister(): TypeRegister {
  const taken = new Map<string, TakenType>();
  const known = new WeakMap<SourceShape, Set<string>>();
  const claim: TypeRegister['claim'] = (owner, claims, ownerInSource) => {
    // Most names have nothing but an owner: one object for all of them.
    const plain: TakenType = { owner, ...(ownerInSource !== undefined && { ownerInSource }) };
    const added: string[] = [];
    for (const { name, form, apart } of claims) {
      const other = taken.get(name);
      if (other) {
        if (form !== undefined && form === other.form) continue;
        for (const each of added) taken.delete(each);
        throw new Failure(messages.typeNameConflict({ type: name, owner, other: other.owner }));
      }
      // Prefixes and names are valid by themselves, but together they may begin with two underscores.
      if (name.startsWith('__')) {
        for (const each of added) taken.delete(each);
        throw new Failure(messages.nameNotGraphql({ name }));
      }
      const more = form !== undefined || apart;
      taken.set(name, more ? { owner, ...(form !== undefined && { form }), ...(apart && { apart }) } : plain);
      added.push(name);
    }
  };
  const register: TypeRegister = {
    taken,
    claim,
    claimColumnType: (owner, source, key) => {
      const seen = known.get(source) ?? new Set();
      known.set(source, seen);
      if (seen.has(key)) return;
      claim(owner, claimsOf(typesOfColumn(source, columnType(source, key))));
      seen.add(key);
    },
  };
  claim('the API', [
    ...ROOT_TYPES.map((name) => ({ name })),
    ...APART_TYPES.map((name) => ({ name, apart: true as const })),
    ...claimsOf([INT, FLOAT, STRING, BOOLEAN, ID]),
  ]);
  return register;
}

const ROOT_TYPES = ['query_root', 'mutation_root', 'subscription_root'];

/** Types of the relay API, which shows tables only, and of a federated graph, which remote schemas may be part of. */
const APART_TYPES = ['Node', 'PageInfo', '_Entity', '_Any', '_Service'];

/** Names of the types that a source brings along. @throws Failure */
export function claimSourceTypes(register: TypeRegister, source: SourceShape): void {
  register.claim('the API', claimsOf(typesOfSource(source)));
  // Predicates compare numbers of rows.
  register.claimColumnType('the API', source, 'int4');
  const { name, rootNamespace, typePrefix = '', typeSuffix = '' } = source;
  if (rootNamespace === undefined) return;
  const parts = ['query', 'mutation_frontend', 'mutation_backend', 'subscription'];
  register.claim(
    `namespace of source ${name}`,
    parts.map((part) => ({ name: `${typePrefix}${rootNamespace}_${part}${typeSuffix}` })),
  );
}

export function claimsOf(types: Iterable<NamedType>): TypeClaim[] {
  return [...types].map((type) => ({ name: type.name, form: clientFormOf(type) }));
}
