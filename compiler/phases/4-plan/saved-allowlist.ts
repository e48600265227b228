/** Plans the allow-list, and reports operations that no permitted role can run. */
import type { DocumentNode } from 'graphql';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import type { Losses } from '../../../runtime/core/diagnostics/causes.ts';
import { at, type Diagnostic } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { type EngineError, unlessRefused } from '../../../runtime/core/errors.ts';
import type { Program } from '../../../runtime/core/program/program.ts';
import { analyseOperation } from '../../../runtime/core/request/analyse.ts';
import { chooseOperation } from '../../../runtime/core/request/document.ts';
import type { AllowedDocument } from '../../../runtime/core/saved/saved.ts';
import type { RoleSchema } from '../../../runtime/core/schema/role-schema.ts';
import type { CollectionQuery, Metadata, QueryCollection } from '../../../runtime/metadata/metadata.ts';
import type { Memory } from '../../memory/memory.ts';
import { errorText, refusingRule } from './saved-refusal.ts';

/**
 * Queries of the allow-list which the permissions of a role refuse that it names, or those of every role.
 * @param documents with one operation each, which the administrator may run
 */
export function refusedQueries(
  metadata: Metadata,
  documents: ReadonlyMap<CollectionQuery, DocumentNode>,
  program: Program,
  memory: Memory,
): (Diagnostic & Losses)[] {
  return metadata.allowlist.flatMap(({ collection: name, scope, path }) => {
    const collection = metadata.query_collections.find((entry) => entry.name === name);
    return (collection?.definition.queries ?? []).flatMap((query) => {
      const document = documents.get(query);
      if (!document) return [];
      const errorOf = (role: string) => {
        // With the privileges of a backend if need be.
        const roleSchema = program.roleSchema(role, true);
        return memory.of(roleSchema).call(refusalOf, query, document, roleSchema);
      };
      const explained = (role: string, error: EngineError) => explain(program, role, error, metadata);
      if (!scope.global) {
        return scope.roles.flatMap((role) => {
          const error = errorOf(role);
          if (!error) return [];
          const refused = explained(role, error);
          const problem = messages.allowedQueryRefused({ ...refused, query: query.name, collection: name });
          return [{ ...at(path, problem), missed: refused.missed }];
        });
      }
      const roles = [...program.roles].sort();
      const [first] = roles;
      if (first === undefined || !roles.every(errorOf)) return [];
      const refused = explained(first, errorOf(first)!);
      return [at(path, messages.allowedQueryForNobody({ ...refused, query: query.name, collection: name }))];
    });
  });
}

/** Who runs what is saved, by `collection.operation`. */
export interface SavedRuns {
  /** Roles whose permissions suffice, with the privileges of a backend if need be. */
  readonly permitted: readonly (readonly [operation: string, roles: readonly string[]])[];
  /** The allow-list; without roles it names all. */
  readonly allowed: readonly (readonly [operation: string, roles: readonly string[] | undefined])[];
}

/** The roles that may run each operation. */
export function permittedRoles(
  collections: readonly QueryCollection[],
  documents: ReadonlyMap<CollectionQuery, DocumentNode>,
  program: Program,
  memory: Memory,
): SavedRuns['permitted'] {
  const roles = [...program.roles].sort();
  return collections.flatMap(({ name, definition: { queries } }) =>
    queries.flatMap((query) => {
      const document = documents.get(query);
      if (!document) return [];
      const permitted = roles.filter((role) => {
        const roleSchema = program.roleSchema(role, true);
        return !memory.of(roleSchema).call(refusalOf, query, document, roleSchema);
      });
      return [[`${name}.${query.name}`, permitted] as const];
    }),
  );
}

/** Why the role of a view may not run an operation; undefined when it may. */
function refusalOf(
  _: CollectionQuery,
  document: DocumentNode,
  roleSchema: RoleSchema,
): EngineError | undefined {
  return unlessRefused(
    () => void analyseOperation(roleSchema, chooseOperation(document, undefined)),
    (error) => error,
  );
}

interface Refusal {
  readonly role: string;
  readonly error: string;
  /** A sentence about the responsible rule, with a leading space; empty if there is not exactly one. */
  readonly rule: string;
  readonly missed: string | undefined;
}

function explain(program: Program, role: string, error: EngineError, metadata: Metadata): Refusal {
  const isInherited = metadata.inherited_roles.some((each) => each.role_name === role);
  const rule = refusingRule(program, role, isInherited, error);
  return {
    role,
    error: errorText(error),
    rule: rule ? ` ${rule.text}` : '',
    missed: rule?.rule,
  };
}

/** @param isOperation whether a query of a collection is an operation, whose file has its document */
export function planAllowlist(
  metadata: Metadata,
  documents: ReadonlyMap<CollectionQuery, DocumentNode>,
  isOperation: (collection: string, name: string) => boolean,
): AllowedDocument[] {
  return metadata.allowlist.flatMap(({ collection: name, scope }) => {
    const collection = metadata.query_collections.find((entry) => entry.name === name);
    return (collection?.definition.queries ?? []).flatMap((query): AllowedDocument[] => {
      if (!documents.has(query)) return [];
      return [
        {
          collection: name,
          name: query.name,
          ...(scope.global ? {} : { roles: scope.roles }),
          ...(!isOperation(name, query.name) && { document: query.query }),
        },
      ];
    });
  });
}
