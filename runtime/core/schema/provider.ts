/**
 * Providers contribute root fields to the API of every role, and through the types of these fields every type that they
 * reach. Tables and functions of databases are the program's own; whatever else answers root fields, such as actions, is a
 * provider.
 */
import type { Table } from '../program/program.ts';
import type { Reason } from '../reason.ts';
import type { OfferedFields } from './fields-on-demand.ts';
import type { RootKind } from './offer.ts';
import type { RoleSchema } from './role-schema.ts';

/** A name below a type. */
export interface HiddenName {
  readonly typeName: string;
  readonly unknownName: string;
}

/** The missing permission of a role: select on a table, or the one that the reason names. */
export type Hidden = { readonly unreadable: Table } | { readonly because: (role: string) => Reason };

export interface Provider {
  /** Unique within a program. */
  readonly name: string;
  /** Roles that its permissions name; they exist even where no table mentions them. */
  readonly roles: readonly string[];
  /** Fields that a role is offered below a root. Called once for each role. */
  readonly rootFields: (role: RoleSchema, kind: RootKind) => OfferedFields;
  /**
   * Everything that the offer to a role depends on, as a text. A changed program takes over the views of those roles for
   * which the texts of all providers are equal. `undefined` is a role that no rule mentions.
   */
  readonly offer: (role: string | undefined) => string;
  /** The reason that hides a name from the role; undefined if this provider has no such name. */
  readonly hides?: (unknown: HiddenName, roleSchema: RoleSchema) => Hidden | undefined;
}
