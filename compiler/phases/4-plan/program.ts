/** The plan as a program of this very process: what the generated files will say, without printing and loading them. */
import {
  access as accessRules,
  deleteRow,
  deleteRows,
  functionAggregate,
  functionMutation,
  functionResolvers,
  functionRows,
  insertRow,
  insertRows,
  program,
  resolvers,
  selectAggregate,
  selectByKey,
  selectRows,
  updateMany,
  updateRow,
  updateRows,
} from '../../../runtime/core/contract.ts';
import type { FunctionResolvers, GeneratedProgram, TableResolvers } from '../../../runtime/core/resolvers.ts';
import { createMemory, type Memory } from '../../memory/memory.ts';
import type { Plan, PlannedFunction, PlannedTable } from '../../model/plan.ts';
import { functionResolver, TABLE_RESOLVERS, type TableResolver } from '../../model/resolvers.ts';

/** The tables, functions and settings of a plan, ready to be linked; the identical objects for what is as before. */
export function programOf(
  { settings, sources }: Pick<Plan, 'settings' | 'sources'>,
  memory: Memory = createMemory(),
): GeneratedProgram {
  return program({
    ...settings,
    sources: sources.map(({ shape }) => shape),
    tables: sources.flatMap(({ tables }) =>
      tables.map((table) => memory.remember('resolvers', table, [], () => resolversOfTable(table))),
    ),
    functions: sources.flatMap(({ functions }) =>
      functions.map((each) => memory.remember('resolvers', each, [], () => resolversOfFunction(each))),
    ),
  });
}

// biome-ignore lint/suspicious/noExplicitAny: The functions differ in what they return, which the two sections tell apart.
type Resolve = (...parts: any[]) => any;

const FUNCTIONS: Readonly<Record<ReturnType<typeof functionResolver> | TableResolver['function'], Resolve>> =
  {
    deleteRow,
    deleteRows,
    functionAggregate,
    functionMutation,
    functionRows,
    insertRow,
    insertRows,
    selectAggregate,
    selectByKey,
    selectRows,
    updateMany,
    updateRow,
    updateRows,
  };

function resolversOfTable({ shape, access, rootFields }: PlannedTable): TableResolvers {
  const rules = accessRules(shape, access);
  const section = (name: 'query' | 'mutation') =>
    Object.fromEntries(
      rootFields.flatMap(({ kind, name: field, description }) => {
        const resolver = TABLE_RESOLVERS[kind];
        if (resolver?.section !== name) return [];
        const resolve = FUNCTIONS[resolver.function];
        const entry = {
          field: kind,
          ...(description === undefined ? {} : { description }),
          resolve: (selection: unknown, args: unknown, requester: unknown) =>
            resolve(rules, requester, selection, args),
        };
        return [[field, entry]];
      }),
    );
  return resolvers(rules, {
    query: section('query'),
    mutation: section('mutation'),
  } as Parameters<typeof resolvers>[1]);
}

function resolversOfFunction({ shape, exposedAs, rootFields, roles }: PlannedFunction): FunctionResolvers {
  const fields = Object.fromEntries(
    rootFields.map(({ kind, name }) => {
      const resolve = FUNCTIONS[functionResolver(exposedAs, kind)];
      const entry = {
        field: kind,
        resolve: (selection: unknown, args: unknown, requester: unknown) =>
          resolve(shape, requester, selection, args),
      };
      return [name, entry];
    }),
  );
  return functionResolvers({ function: shape, roles }, {
    [exposedAs]: fields,
  } as Parameters<typeof functionResolvers>[1]);
}
