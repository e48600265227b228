/** Which saved operations break: for each role that could run one before, whether it still can, and gets the same types. */

import { EngineError } from '../../../runtime/core/errors.ts';
import { parseGraphql } from '../../../runtime/core/graphql-text.ts';
import { operationKey } from '../../../runtime/core/names.ts';
import { analyseOperation } from '../../../runtime/core/request/analyse.ts';
import { chooseOperation, type Operation } from '../../../runtime/core/request/document.ts';
import type { Selection } from '../../../runtime/core/request/selection.ts';
import { allowedTexts } from '../../../runtime/core/saved/allowed.ts';
import type { RestRoute, SavedOperation } from '../../../runtime/core/saved/saved.ts';
import type { RoleSchema } from '../../../runtime/core/schema/role-schema.ts';
import { printType } from '../../../runtime/core/schema/types.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import type { WeighedChange } from './change.ts';
import { isStronger } from './schema-changes.ts';

/** A change of one saved operation. */
export interface OperationChange extends WeighedChange {
  readonly collection: string;
  readonly operation: string;
}

/** Compares the saved operations that a role could run. */
export function operationChanges(base: GeneratedCode, head: GeneratedCode, role: string): OperationChange[] {
  const after = new Map(operationsOf(head).map((operation) => [operationKey(operation), operation]));
  const changes = operationsOf(base).flatMap((operation): OperationChange[] => {
    const { collection, name } = operation;
    const place = { collection, operation: name };
    const before = analyse(base, role, operation);
    if ('error' in before) return [];
    const next = after.get(operationKey(operation));
    if (!next)
      return [
        {
          ...place,
          weight: 'breaking',
          kind: 'OPERATION_REMOVED',
          text: `${collection}.${name} is no longer saved`,
        },
      ];
    return compareOperation(operation, before, next, analyse(head, role, next)).map((change) => ({
      ...place,
      ...change,
      text: `${collection}.${name} ${change.text}`,
    }));
  });
  return [...changes, ...allowlistChanges(base, head, role)];
}

/** Compares the REST endpoints, which are the same for every role. */
export function endpointChanges(base: GeneratedCode, head: GeneratedCode): OperationChange[] {
  const offered = (routes: readonly RestRoute[] = []) =>
    new Map(
      routes.flatMap((route) => route.methods.map((method) => [`${method} ${shapeOf(route.url)}`, route])),
    );
  const after = offered(head.generated.saved?.routes);
  const before = offered(base.generated.saved?.routes);
  const change = (
    route: RestRoute,
    rest: Pick<WeighedChange, 'weight' | 'kind' | 'text'>,
  ): OperationChange => ({
    collection: route.operation.collection,
    operation: route.operation.name,
    ...rest,
  });
  const lost = [...before].flatMap(([key, route]) => {
    const method = key.split(' ')[0];
    const next = after.get(key);
    const place = `The endpoint ${method} ${route.url}`;
    if (!next)
      return [change(route, { weight: 'breaking', kind: 'ENDPOINT_REMOVED', text: `${place} was removed` })];
    if (next.url !== route.url)
      return [
        change(route, {
          weight: 'dangerous',
          kind: 'ENDPOINT_VARIABLE_RENAMED',
          text: `${place} is ${next.url} now`,
        }),
      ];
    if (operationKey(next.operation) === operationKey(route.operation)) return [];
    const text = `${place} runs ${next.operation.collection}.${next.operation.name} instead of ${route.operation.collection}.${route.operation.name}`;
    return [change(route, { weight: 'dangerous', kind: 'ENDPOINT_OPERATION_CHANGED', text })];
  });
  const gained = [...after].flatMap(([key, route]) =>
    before.has(key)
      ? []
      : [
          change(route, {
            weight: 'safe',
            kind: 'ENDPOINT_ADDED',
            text: `The endpoint ${key.split(' ')[0]} ${route.url} was added`,
          }),
        ],
  );
  return [...lost, ...gained];
}

/** URLs that differ in the names of their variables match the same paths. */
function shapeOf(url: string): string {
  return url.replace(/(^|\/):[^/]+/g, '$1:');
}

function operationsOf(code: GeneratedCode): readonly SavedOperation[] {
  return code.generated.saved?.operations ?? [];
}

type Outcome = { readonly error: string } | { readonly selection: Selection; readonly operation: Operation };

/** The result type of an operation for a role, or why it may not run it. Never throws for invalid operations. */
export function analyse(code: GeneratedCode, role: string, saved: SavedOperation): Outcome {
  return analyseIn(code.program.roleSchema(role, false), saved.document);
}

function analyseIn(roleSchema: RoleSchema, document: string): Outcome {
  try {
    const operation = chooseOperation(parseGraphql(document), undefined);
    return { selection: analyseOperation(roleSchema, operation).selection, operation };
  } catch (error) {
    if (error instanceof EngineError) return { error: error.message };
    return { error: (error as Error).message };
  }
}

function compareOperation(
  old: SavedOperation,
  before: Exclude<Outcome, { error: string }>,
  next: SavedOperation,
  after: Outcome,
): WeighedChange[] {
  if ('error' in after)
    return [{ weight: 'breaking', kind: 'OPERATION_REFUSED', text: `can no longer be run: ${after.error}` }];
  const changes = [
    ...variableChanges(old, next),
    ...typeChanges(typesOf(before.selection), typesOf(after.selection)),
  ];
  if (old.document !== next.document)
    changes.push({
      weight: 'dangerous',
      kind: 'OPERATION_TEXT_CHANGED',
      text: 'has another text: clients that send the old text, or its hash, are not answered in a mode for saved operations only',
    });
  return changes;
}

function variableChanges(old: SavedOperation, next: SavedOperation): WeighedChange[] {
  const before = old.variables ?? {};
  return Object.entries(next.variables ?? {}).flatMap(([name, { type, default: value }]): WeighedChange[] => {
    const required = type.endsWith('!') && value === undefined;
    const was = Object.hasOwn(before, name) ? before[name] : undefined;
    if (!was)
      return required
        ? [
            {
              weight: 'breaking',
              kind: 'VARIABLE_ADDED',
              text: `asks for the new variable $${name}: ${type}`,
            },
          ]
        : [];
    if (was.type === type || isStronger(type, was.type)) return [];
    return [
      {
        weight: 'breaking',
        kind: 'VARIABLE_CHANGED',
        text: `takes $${name} as ${type} instead of ${was.type}`,
      },
    ];
  });
}

/** Type of every field of the answer, by its path there. */
function typesOf(selection: Selection, prefix = ''): Map<string, string> {
  const types = new Map<string, string>();
  for (const field of selection.fields) {
    const path = `${prefix}${field.responseName}`;
    types.set(path, printType(field.definition.type));
    for (const [below, type] of typesOf(field.selection, `${path}.`)) types.set(below, type);
  }
  return types;
}

function typeChanges(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): WeighedChange[] {
  return [...before].flatMap(([path, type]): WeighedChange[] => {
    const next = after.get(path);
    if (next === undefined)
      return [{ weight: 'breaking', kind: 'ANSWER_FIELD_REMOVED', text: `answers without ${path}` }];
    if (next === type || isStronger(type, next)) return [];
    return [
      {
        weight: 'breaking',
        kind: 'ANSWER_TYPE_CHANGED',
        text: `answers ${path} as ${next} instead of ${type}`,
      },
    ];
  });
}

/** Whose documents the allow-list lets through no longer. */
function allowlistChanges(base: GeneratedCode, head: GeneratedCode, role: string): OperationChange[] {
  const allowed = (code: GeneratedCode) =>
    (code.generated.saved ? allowedTexts(code.generated.saved) : []).filter(
      ({ entry: { roles } }) => !roles || roles.includes(role),
    );
  const after = new Set(allowed(head).map(({ comparable }) => comparable()));
  const saved = new Set(operationsOf(head).map(operationKey));
  return allowed(base).flatMap(({ entry: { collection, name }, comparable }) =>
    after.has(comparable()) || !saved.has(operationKey({ collection, name }))
      ? []
      : [
          {
            collection,
            operation: name,
            weight: 'dangerous' as const,
            kind: 'ALLOW_LIST_REMOVED',
            text: `${collection}.${name} is no longer on the allow-list as it was`,
          },
        ],
  );
}
