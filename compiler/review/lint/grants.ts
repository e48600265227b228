/** Rules of the lint about grants that look smaller than they are. */

import type { Knowledge } from '../../../runtime/core/condition/knowledge.ts';
import { parseCondition } from '../../../runtime/core/condition/parse.ts';
import { implies } from '../../../runtime/core/condition/prove.ts';
import { allOf, anyOf } from '../../../runtime/core/condition/tree.ts';
import { type AnyRule, type Aspect, ruleOf } from '../../../runtime/core/contract/aspects.ts';
import { EVERY_ROW } from '../../../runtime/core/contract/shapes.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { about, causedBy, type Found, type LintFinding } from './finding.ts';
import { quotedNames } from './hidden-columns.ts';
import type { LintInput, PlacedPermission, PlacedTable } from './place.ts';
import { permissionNames } from './rows.ts';

/** Permissions of inherited roles beyond those of the roles that they inherit from. */
export function widerInherited(
  table: PlacedTable,
  permission: PlacedPermission,
  { metadata, knowledge }: LintInput,
): Found[] {
  const { role, operation, path, rule: own } = permission;
  const inherited = metadata.inherited_roles.find(({ role_name }) => role_name === role);
  if (!inherited) return [];
  const parents = inherited.role_set.flatMap((name): AnyRule[] => {
    const rule = ruleOf(table.access, operation, name);
    return rule ? [rule] : [];
  });
  const report = ({ what, columns = [] }: Wider) => [
    {
      ...causedBy(path, messages.inheritedRoleWider({ ...permissionNames(table, permission), what }), [role]),
      columns,
    },
  ];
  if (parents.length === 0) return report({ what: 'none of them has one' });
  const known = (key: RuleKind) => knowledge(table, key === 'check' && operation !== 'delete');
  for (const look of Object.values(WIDER)) {
    const wider = look(own, parents, known);
    if (wider) return report(wider);
  }
  return [];
}

interface Wider {
  readonly what: string;
  readonly columns?: readonly string[];
}

type RuleKind = 'where' | 'check' | 'cells';
type IsWider = (
  own: AnyRule,
  parents: readonly AnyRule[],
  known: (key: RuleKind) => Knowledge,
) => Wider | undefined;

/** Whether each aspect of a rule gives more than those of the roles that it inherits from, which are added up. The first is reported. */
const WIDER: Readonly<Record<Aspect, IsWider>> = {
  columns: ({ columns = [] }, parents) => {
    const more = columns.filter((name) => !parents.some((parent) => parent.columns?.includes(name)));
    return more.length > 0 ? { what: `column ${quotedNames(more)}`, columns: more } : undefined;
  },
  where: unlessProved('where', 'its rows are not proved to be among theirs'),
  check: unlessProved('check', 'its check is not proved to demand as much'),
  computedFields: ({ computedFields = [] }, parents) => {
    const more = computedFields.filter(
      (name) => !parents.some((each) => each.computedFields?.includes(name)),
    );
    return more.length > 0 ? { what: `computed field ${quotedNames(more)}` } : undefined;
  },
  // A role has the column of a row where one of its parents has it.
  cells: (own, parents, known) => {
    const shows = ({ columns = [], computedFields = [] }: AnyRule, name: string) =>
      columns.includes(name) || computedFields.includes(name);
    const where = (rule: AnyRule, name: string) =>
      allOf([rule.where ?? EVERY_ROW, rule.cells?.[name] ?? EVERY_ROW].map(parseCondition));
    const more = [...(own.columns ?? []), ...(own.computedFields ?? [])].filter((name) => {
      const showing = parents.filter((parent) => shows(parent, name));
      if (showing.length === parents.length && !showing.some(({ cells }) => cells?.[name])) return false;
      const among = anyOf(showing.map((parent) => where(parent, name)));
      return !implies(where(own, name), among, known('cells'));
    });
    return more.length > 0
      ? { what: `column ${quotedNames(more)} in more rows than theirs`, columns: more }
      : undefined;
  },
  presets: ({ presets = {} }, parents) => {
    const more = Object.entries(presets).flatMap(([name, text]) =>
      parents.some((each) => each.presets?.[name] === text || each.columns?.includes(name)) ? [] : [name],
    );
    return more.length > 0 ? { what: `the preset of ${quotedNames(more)}`, columns: more } : undefined;
  },
  limit: ({ limit = Infinity }, parents) =>
    limit > Math.max(...parents.map((parent) => parent.limit ?? Infinity))
      ? { what: 'its lists may have more rows' }
      : undefined,
  aggregations: ({ aggregations }, parents) =>
    aggregations && !parents.some((parent) => parent.aggregations) ? { what: 'aggregates' } : undefined,
  queryRoots: unlessListed('queryRoots', 'root fields of queries'),
  subscriptionRoots: unlessListed('subscriptionRoots', 'root fields of subscriptions'),
  backendOnly: ({ backendOnly }, parents) =>
    !backendOnly && parents.every((parent) => parent.backendOnly)
      ? { what: 'callers need not be trusted' }
      : undefined,
  validateInput: ({ validateInput }, parents) =>
    !validateInput && parents.every((parent) => parent.validateInput)
      ? { what: 'no webhook has to agree to the input' }
      : undefined,
  // They grant and deny nothing.
  checkMessage: () => undefined,
  canFail: () => undefined,
  implies: () => undefined,
};

/** Unless each row that satisfies its rule satisfies one of theirs. */
function unlessProved(key: 'where' | 'check', what: string): IsWider {
  return (own, parents, known) => {
    const [rule = EVERY_ROW, ...others] = [own, ...parents].map((each) => each[key] ?? EVERY_ROW);
    if (others.includes(EVERY_ROW)) return undefined;
    const among = anyOf(others.map((each) => parseCondition(each)));
    return implies(parseCondition(rule), among, known(key)) ? undefined : { what };
  };
}

/** Unless each item of its list is in one of theirs; no list has all items. */
function unlessListed(key: 'queryRoots' | 'subscriptionRoots', what: string): IsWider {
  return (own, parents) => {
    const lists = parents.map((parent): readonly string[] | undefined => parent[key]);
    if (lists.includes(undefined)) return undefined;
    return own[key]?.every((item) => lists.some((list) => list!.includes(item))) ? undefined : { what };
  };
}

const SECRETS =
  /(^|_)(passwords?|passwd|pwd|secrets?|tokens?|api_?keys?|access_?keys?|private_?keys?|credentials?|otp|salt)(_|$)/i;

export function isSecretName(name: string): boolean {
  return SECRETS.test(/[A-Z]/.test(name) ? name.replace(/([a-z])([A-Z])/g, '$1_$2') : name);
}

/** Columns with names of secrets. */
export function secretColumns(
  table: PlacedTable,
  { operation, role, columns, path }: PlacedPermission,
): Found[] {
  if (operation !== 'select') return [];
  return columns
    .filter(isSecretName)
    .map((column) =>
      about(table, [...path, 'columns'], messages.secretColumnGranted({ role, column, table: table.name }), [
        column,
      ]),
    );
}

/** Views whose queries call functions of the database. */
export function viewsOverFunctions(view: PlacedTable, { operation, role, path }: PlacedPermission): Found[] {
  const functions = Object.keys(view.model.shape.calls ?? {}).join(', ');
  if (operation !== 'select' || functions === '') return [];
  return [
    causedBy(path, messages.viewOverFunction({ role, view: view.name, functions }), [
      view.source,
      view.model.key,
    ]),
  ];
}

/** REST endpoints that write by GET. */
export function mutationsByGet({ metadata, plan }: LintInput): LintFinding[] {
  return (plan.saved?.routes ?? []).flatMap(({ methods, name, operation }): LintFinding[] => {
    if (!methods.includes('GET') || operation.kind !== 'mutation') return [];
    const path = metadata.rest_endpoints.find((each) => each.name === name)?.path ?? [];
    const facts = { endpoint: name, operation: `${operation.collection}.${operation.name}` };
    const diagnostic = at(path, messages.mutationByGet(facts));
    return [{ diagnostic, tables: [], columns: [], role: '', place: name, cause: [name] }];
  });
}
