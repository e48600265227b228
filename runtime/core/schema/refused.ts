/**
 * Every name of an operation that a role is not offered, with the permission that is missing and the roles that have it; and the
 * permissions that apply to the rest. Planning stops at the first name, and compares with nobody; this is for administrators who ask.
 * @rule Which names of an operation does a role lack, which roles have them, and which permissions apply to the rest?
 */
import { type FieldNode, Kind, type SelectionSetNode, valueFromASTUntyped } from 'graphql';
import type { TableOperation } from '../contract/aspects.ts';
import { EngineError, pathStep } from '../errors.ts';
import type { Program, Table } from '../program/program.ts';
import type { Reason } from '../reason.ts';
import { checkFragmentCycles, chooseOperation, type Operation, parseDocument } from '../request/document.ts';
import { type GraphqlRequest, reportTooDeep } from '../request/planner.ts';
import { ADMIN_ROLE, type Session } from '../session.ts';
import { whyHidden } from './hidden.ts';
import { operationOf } from './offer.ts';
import type { HiddenName } from './provider.ts';
import { RELATED_OPERATIONS } from './related-types.ts';
import type { RoleSchema } from './role-schema.ts';
import {
  type AbstractType,
  type InputMeaning,
  type NonNullType,
  namedType,
  type ObjectType,
  type TypeReference,
} from './types.ts';

/** A walk of a few tenths of a second, one for each role. */
const MAX_NAMES = 10_000;

/** A name that the role is not offered. */
interface RefusedName extends HiddenName {
  /** Where, as errors say it: `$.selectionSet.article.selectionSet.secret`. */
  readonly path: string;
  /** Administrators are offered it. */
  readonly exists: boolean;
  /** Absent: the name does not exist, or its permission is not known. */
  readonly reason?: Reason;
}

/** A permission that decides about rows that the operation reads or writes. */
interface AppliedPermission {
  readonly source: string;
  /** Its key: `public.article`. */
  readonly table: string;
  readonly operation: TableOperation;
}

interface Reviewed {
  readonly kind: Operation['kind'];
  readonly refused: readonly RefusedName[];
  readonly applied: readonly AppliedPermission[];
  /** Which of the refused names another role is offered, by path. It walks the operation once more. */
  readonly offeredTo: (role: string) => (path: string) => boolean;
}

/** Reviews the names of an operation for the role of a session. @throws EngineError where the document cannot be read */
export function reviewNames(program: Program, session: Session, request: GraphqlRequest): Reviewed {
  return reportTooDeep(() => review(program, session, request));
}

function review(program: Program, session: Session, request: GraphqlRequest): Reviewed {
  const operation = chooseOperation(parseDocument(request.query), request.operationName);
  checkFragmentCycles(operation);
  const { role, backendOnly } = session;
  const everything = program.roleSchema(ADMIN_ROLE, true);
  const walk = (as: string) => {
    const schema = program.roleSchema(as, backendOnly);
    const walked = new Walk(program, operation, request.variables ?? {}, schema);
    walked.run(everything);
    return walked;
  };
  const { refused, applied } = walk(role);
  const roleSchema = program.roleSchema(role, backendOnly);
  return {
    kind: operation.kind,
    refused: [...refused].map(([path, name]): RefusedName => {
      const reason = whyHidden(name, roleSchema, role);
      return { ...name, path, ...(reason && { reason }) };
    }),
    applied: [...applied.values()],
    offeredTo: (other) => {
      const lacks = reportTooDeep(() => walk(other).refused);
      return (path) => !isWithin(path, lacks);
    },
  };
}

/** Whether a name is one of those refused, or below one. */
function isWithin(path: string, refused: ReadonlyMap<string, unknown>): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1))
    if (refused.has(path.slice(0, end))) return true;
  return false;
}

type Composite = ObjectType | AbstractType;

/** One walk over an operation along the types of administrators, with those of a role beside them as far as they are there. */
class Walk {
  /** By path. */
  readonly refused = new Map<string, HiddenName & { readonly exists: boolean }>();
  readonly applied = new Map<string, AppliedPermission>();
  readonly #program: Program;
  readonly #operation: Operation;
  readonly #variables: Readonly<Record<string, unknown>>;
  readonly #own: RoleSchema;
  #names = 0;

  constructor(
    program: Program,
    operation: Operation,
    variables: Readonly<Record<string, unknown>>,
    own: RoleSchema,
  ) {
    this.#program = program;
    this.#operation = operation;
    this.#variables = { ...variables };
    this.#own = own;
  }

  run(everything: RoleSchema): void {
    const { kind, node } = this.#operation;
    const all = everything.roots[kind];
    if (all) this.#selections(node.selectionSet, all, this.#own.roots[kind], '$.selectionSet');
  }

  #selections(set: SelectionSetNode, all: Composite, own: Composite | undefined, path: string): void {
    for (const node of set.selections) {
      this.#count(path);
      if (node.kind === Kind.FIELD) this.#field(node, all, own, pathStep(path, node.name.value));
      else if (node.kind === Kind.INLINE_FRAGMENT)
        this.#fragment(node.typeCondition?.name.value, node.selectionSet, all, own, path);
      else {
        const fragment = this.#operation.fragments.get(node.name.value);
        if (fragment)
          this.#fragment(fragment.typeCondition.name.value, fragment.selectionSet, all, own, path);
      }
    }
  }

  #count(path: string): void {
    this.#names += 1;
    if (this.#names > MAX_NAMES)
      throw new EngineError(
        'validation-failed',
        `at most ${MAX_NAMES} fields and keys of arguments are reviewed; leave some out`,
        { path },
      );
  }

  #fragment(
    condition: string | undefined,
    set: SelectionSetNode,
    all: Composite,
    own: Composite | undefined,
    path: string,
  ): void {
    const narrowed = (type: Composite | undefined) =>
      condition === undefined || condition === type?.name || type?.kind === 'object'
        ? type
        : (type?.possible().get(condition) ?? type);
    this.#selections(set, narrowed(all)!, narrowed(own), path);
  }

  #field(node: FieldNode, all: Composite, own: Composite | undefined, path: string): void {
    const name = node.name.value;
    const offered = own?.fields().get(name);
    const definition = all.fields().get(name) ?? offered;
    if (!offered) this.#refuse(path, all.name, name, definition !== undefined);
    if (!definition) return;
    if (offered) this.#apply(all, name, offered.meaning);
    for (const { name: argument, value } of node.arguments ?? []) {
      const type = definition.arguments.get(argument.value)?.type;
      const at = pathStep(pathStep(path, 'args'), argument.value);
      const ownType = offered?.arguments.get(argument.value)?.type;
      if (offered && !ownType) this.#refuse(at, all.name, `${name}(${argument.value})`, type !== undefined);
      if (type && ownType) this.#value(valueFromASTUntyped(value, this.#variables), type, ownType, at);
    }
    const target = composite(definition.type);
    if (!node.selectionSet || !target) return;
    const inner = offered ? composite(offered.type) : this.#ownType(target);
    // Whatever is below a table that the role may not read lacks the same permission.
    if (inner) this.#selections(node.selectionSet, target, inner, pathStep(path, 'selectionSet'));
  }

  /** The type of a table's rows as the role sees it below a field that it is not offered. */
  #ownType({ name }: Composite): Composite | undefined {
    const table = this.#program.tables.find(({ names }) => names.object === name);
    return table && this.#own.table(table).select && this.#own.types(table).object();
  }

  /** Names within an argument: keys of objects, and values of enums, which may be columns. */
  #value(value: unknown, all: TypeReference, own: TypeReference, path: string): void {
    const offered = bare(own);
    if (offered.kind === 'list') {
      const items: readonly unknown[] = Array.isArray(value) ? value : [value];
      for (const [index, item] of items.entries()) this.#value(item, all, offered.of, pathStep(path, index));
      return;
    }
    const type = namedType(all);
    if (
      offered.kind === 'enum' &&
      type.kind === 'enum' &&
      typeof value === 'string' &&
      !offered.values.has(value)
    )
      this.#refuse(path, type.name, value, type.values.has(value));
    if (offered.kind !== 'input' || type.kind !== 'input' || typeof value !== 'object' || value === null)
      return;
    for (const [name, inner] of Object.entries(value)) {
      this.#count(path);
      const at = pathStep(path, name);
      const definition = type.fields().get(name);
      const mine = offered.fields().get(name);
      if (!mine) {
        this.#refuse(at, type.name, name, definition !== undefined);
        continue;
      }
      const { meaning } = mine;
      if ('visible' in meaning && meaning.visible)
        for (const operation of operationsOf(meaning.kind, inner))
          this.#use(meaning.visible.table, operation);
      this.#value(inner, definition?.type ?? mine.type, mine.type, at);
    }
  }

  #refuse(path: string, typeName: string, unknownName: string, exists: boolean): void {
    this.refused.set(path, { typeName, unknownName, exists });
  }

  /** Notes the permissions that a field of the role stands on. */
  #apply(parent: Composite, field: string, meaning: { readonly kind: string }): void {
    if (meaning.kind === 'query' || meaning.kind === 'mutation' || meaning.kind === 'stream') {
      for (const table of this.#program.tables) {
        const root = table.fields.query.get(field) ?? table.fields.mutation.get(field);
        if (root) this.#use(table, operationOf(root.field));
      }
      return;
    }
    if (meaning.kind === 'typename') return;
    if ('visible' in meaning && meaning.visible)
      this.#use((meaning.visible as { readonly table: Table }).table, 'select');
    const owner = this.#program.tables.find(({ names }) => names.object === parent.name);
    if (owner) this.#use(owner, 'select');
  }

  #use({ source, key }: Table, operation: TableOperation): void {
    this.applied.set(JSON.stringify([source.name, key, operation]), {
      source: source.name,
      table: key,
      operation,
    });
  }
}

/** What an input field does with rows of its table. */
function operationsOf(kind: InputMeaning['kind'], value: unknown): readonly TableOperation[] {
  if (kind === 'relatedChanges')
    return RELATED_OPERATIONS.filter((each) => Object.hasOwn(Object(value) as object, each));
  return [kind === 'nestedInsert' ? 'insert' : 'select'];
}

/** The type below lists and non-null wrappers, if it has fields to select. */
function composite(type: TypeReference): Composite | undefined {
  const named = namedType(type);
  return named.kind === 'object' || named.kind === 'interface' || named.kind === 'union' ? named : undefined;
}

/** The type without a non-null wrapper. */
function bare(type: TypeReference): Exclude<TypeReference, NonNullType> {
  return type.kind === 'nonNull' ? type.of : type;
}
