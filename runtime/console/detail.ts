/** What is behind the cells of one line of the access matrix, read from the program that is served. */
import { handlerHost } from '../core/action/host.ts';
import { sessionVariablesIn } from '../core/condition/reads.ts';
import { OPERATIONS, textPartsOf } from '../core/contract/aspects.ts';
import type { Program, Table } from '../core/program/program.ts';
import { operationOf } from '../core/schema/offer.ts';
import { offeredCalls, offeredRoots } from '../core/schema/offered-roots.ts';
import { rulesOf } from '../core/schema/visible-table.ts';
import { rolesOf } from './matrix.ts';
import { permissionInWords, relationWords } from './permission.ts';
import type { AccessDetail, AccessObject, AccessPermission } from './questions.ts';

/** Facts of schemas, in their order. See remoteFactTexts. */
type FactsOf = (schemas: readonly string[]) => Promise<readonly (readonly string[])[]>;

/**
 * Undefined for an object that is not served.
 * @param factsOf reads schemas elsewhere: thousands of types take a second
 */
export async function accessDetail(
  program: Program,
  object: AccessObject,
  factsOf: FactsOf,
): Promise<AccessDetail | undefined> {
  if (object.kind === 'remote schema') return remoteDetail(program, object, factsOf);
  const found = DETAILS[object.kind](program, object.name, object.source);
  return found && { ...object, ...found };
}

type Found = Omit<AccessDetail, keyof AccessObject> | undefined;

const DETAILS: Readonly<
  Record<
    Exclude<AccessObject['kind'], 'remote schema'>,
    (program: Program, name: string, source: string) => Found
  >
> = {
  table: (program, name, source) => {
    const table = program.tables.find(({ key, shape }) => key === name && shape.source.name === source);
    if (!table) return undefined;
    const { kind, columns, computedFields = {} } = table.shape;
    return {
      note: `${relationWords(kind)} of ${source}`,
      columns: [...Object.keys(columns), ...Object.keys(computedFields)],
      permissions: rolesOf(program).flatMap((role) => permissionsOf(table, role, program)),
    };
  },
  function: (program, name, source) => {
    const called = program.functions.find(({ key, shape }) => key === name && shape.source.name === source);
    if (!called) return undefined;
    const changes = called.shape.volatile ? ', may change data' : '';
    return {
      note: `function of ${source}, returns rows of ${called.returns.key}${changes}; their row rules apply`,
      roles: perRole(program, (role) => {
        const rules = rulesOf(program.access(called.returns), role);
        return [...new Set(offeredCalls(called, role, rules, program.options).map((root) => root.name))];
      }),
    };
  },
  action: ({ actions }, name) => {
    const action = actions?.actions.find((each) => each.name === name);
    if (!action) return undefined;
    return {
      note: `${action.kind} ${action.type}, answered by ${handlerHost(action)}`,
      roles: Object.fromEntries(action.roles.map((role) => [role, [name]])),
    };
  },
};

async function remoteDetail(
  program: Program,
  object: AccessObject,
  factsOf: FactsOf,
): Promise<AccessDetail | undefined> {
  const remote = program.remotes.find(({ name }) => name === object.name);
  if (!remote) return undefined;
  if (!program.options.remoteSchemaPermissions) {
    const [everyRole = []] = await factsOf([remote.schema]);
    return {
      ...object,
      note: 'remote schema, whole for every role: the server has no permissions for remote schemas enabled',
      everyRole,
    };
  }
  const schemas = [...new Set(Object.values(remote.roles))];
  const found = await factsOf(schemas);
  const facts = new Map(schemas.map((schema, index) => [schema, found[index]!]));
  return {
    ...object,
    note: 'remote schema: fields, arguments and presets of each role',
    roles: perRole(program, (role) =>
      Object.hasOwn(remote.roles, role) ? facts.get(remote.roles[role]!)! : [],
    ),
  };
}

/** Without roles that may do nothing. */
function perRole(
  program: Program,
  of: (role: string) => readonly string[],
): Record<string, readonly string[]> {
  return Object.fromEntries(
    rolesOf(program).flatMap((role) => {
      const found = of(role);
      return found.length > 0 ? [[role, found] as const] : [];
    }),
  );
}

function permissionsOf(table: Table, role: string, program: Program): AccessPermission[] {
  const { access, options, vocabulary } = program;
  const rules = rulesOf(access(table), role);
  const offered = offeredRoots(table, rules, options);
  // Those that return rows need no permission but that for the rows.
  const rows = [...table.computedFields.values()].flatMap(({ name, returns }) =>
    'table' in returns && rulesOf(access(returns.table), role).select ? [name] : [],
  );
  return OPERATIONS.flatMap((operation) => {
    const rule =
      operation === 'select' && rules.select
        ? { ...rules.select, computedFields: [...(rules.select.computedFields ?? []), ...rows] }
        : rules[operation];
    const fields = offered.filter(({ kind }) => operationOf(kind) === operation).map(({ name }) => name);
    return rule
      ? [permissionInWords(rule, { role, operation, fields: [...new Set(fields)] }, vocabulary)]
      : [];
  });
}

/** Session variables that the rules of a role compare with, as headers by the vocabulary's word. */
export function sessionVariables({ tables, access, vocabulary }: Program, role: string): string[] {
  const texts = tables.flatMap((table) =>
    Object.values(rulesOf(access(table), role)).flatMap((rule) => textPartsOf(rule).map(({ text }) => text)),
  );
  return sessionVariablesIn(texts)
    .map((name) => vocabulary.fromCanonical(name))
    .sort();
}
