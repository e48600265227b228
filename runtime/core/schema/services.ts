/**
 * What a program serves beside tables, and what of it each role may use: the console's matrix, the details behind it and the
 * matrix of an audit read this list.
 * @rule Which functions, actions and remote schemas may a role use, all together?
 */
import type { ActionShape } from '../action/shapes.ts';
import { displayName } from '../names.ts';
import { actionEffects, functionEffects, type RoleFact } from '../program/facts.ts';
import type { Program, TableFunction } from '../program/program.ts';
import type { RemoteSchemaShape } from '../remotes/shapes.ts';
import { offeredCalls } from './offered-roots.ts';
import { rulesOf } from './visible-table.ts';

interface Served<Kind extends string, Use> {
  readonly kind: Kind;
  /** Empty for what belongs to no source. */
  readonly source: string;
  /** Unique with kind and source: of a function with the schema. */
  readonly name: string;
  readonly label: string;
  /** What a role may use of it; undefined for nothing. */
  readonly useOf: (role: string) => Use | undefined;
  /** Effects of a call, the same for every role. */
  readonly effects: () => readonly RoleFact[];
}

/** What may be used are root fields. */
export interface OfferedFunction extends Served<'function', readonly string[]> {
  readonly called: TableFunction;
}
export interface OfferedAction extends Served<'action', readonly string[]> {
  readonly action: ActionShape;
}
/** What may be used is a schema as text, whose facts take long to read. */
export interface OfferedRemote extends Served<'remote schema', string> {
  readonly remote: RemoteSchemaShape;
}

export type ServedBesideTables = OfferedFunction | OfferedAction | OfferedRemote;

/** Functions, actions and remote schemas, in this order. */
export function servedBesideTables(program: Program): ServedBesideTables[] {
  const { functions, actions, remotes, options } = program;
  return [
    ...functions.map((called) => servedFunction(called, program)),
    ...(actions?.actions ?? []).map(servedAction),
    ...remotes.map((remote) => servedRemote(remote, options.remoteSchemaPermissions)),
  ];
}

export function servedFunction(called: TableFunction, { access, options }: Program): OfferedFunction {
  const { schema, name, source } = called.shape;
  return {
    ...{ kind: 'function', source: source.name, name: called.key, label: displayName(schema, name), called },
    useOf: (role) => {
      const roots = offeredCalls(called, role, rulesOf(access(called.returns), role), options);
      return roots.length > 0 ? [...new Set(roots.map((root) => root.name))] : undefined;
    },
    effects: () => functionEffects(called.shape),
  };
}

export function servedAction(action: ActionShape): OfferedAction {
  const { name, roles } = action;
  return {
    ...{ kind: 'action', source: '', name, label: name, action },
    useOf: (role) => (roles.includes(role) ? [name] : undefined),
    effects: () => actionEffects(action),
  };
}

/** @param hasPermissions whether the server applies them; without, every role may use everything */
export function servedRemote(remote: RemoteSchemaShape, hasPermissions: boolean | undefined): OfferedRemote {
  const { name, schema, roles } = remote;
  return {
    ...{ kind: 'remote schema', source: '', name, label: name, remote },
    useOf: (role) => {
      if (!hasPermissions) return schema;
      return Object.hasOwn(roles, role) ? roles[role] : undefined;
    },
    effects: () => [],
  };
}
