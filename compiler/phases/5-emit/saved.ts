/** `saved/` and `rest/routes.ts`: saved operations, the allow-list, and which URLs run what. */
import type { SavedOperation, SavedProgram } from '../../../runtime/core/saved/saved.ts';
import { type DeclaredPlan, declaredOperation, indented } from '../../../runtime/core/saved/saved-file.ts';
import type { Memory } from '../../memory/memory.ts';
import type { FileNames, ProgramNames } from './names.ts';
import { entries } from './table.ts';
import {
  inlineLiteral,
  printLiteral,
  type SavedContext,
  stringLiteral,
  templateLiteral,
  templates,
} from './templates.ts';

/** The files of saved operations, by path. */
export function emitSaved(
  { options, operations, allowlist, routes }: SavedProgram,
  names: ProgramNames,
  memory: Memory,
): Map<string, string> {
  const files = new Map<string, string>();
  const namesOf = ({ collection, name }: SavedOperation): FileNames => names.saved(collection, name);
  for (const operation of operations) {
    const file = namesOf(operation);
    files.set(`${file.path}.ts`, memory.call(emitOperation, operation, file.identifier));
  }
  files.set(
    'saved/allowlist.ts',
    templates.allowlist({
      documents: allowlist.map(({ collection, name, roles, document }) => ({
        collection,
        name,
        roles: roles === undefined ? '' : inlineLiteral(roles),
        document: document ?? '',
      })),
    }),
  );
  const routed = [...new Set(routes.map(({ operation }) => operation))];
  files.set(
    'rest/routes.ts',
    templates.routes({
      operations: routed.map((operation) => ({
        identifier: namesOf(operation).identifier,
        file: `../${namesOf(operation).path}.ts`,
      })),
      routes: routes.map(({ name, methods, url, operation, comment }) => ({
        methods: inlineLiteral(methods),
        url,
        operation: namesOf(operation).identifier,
        name,
        remark: comment === undefined ? '' : `, comment: ${stringLiteral(comment)}`,
      })),
    }),
  );
  files.set(
    'saved/index.ts',
    templates.savedIndex({
      options: inlineLiteral(options),
      operations: operations.map((operation) => ({
        identifier: namesOf(operation).identifier,
        file: `./${namesOf(operation).path.slice('saved/'.length)}.ts`,
        remark: remarkOf(operation),
      })),
    }),
  );
  return files;
}

function emitOperation(operation: SavedOperation, identifier: string): string {
  const { collection, name, kind, document, variables, template, wakes, ...run } =
    declaredOperation(operation);
  const { plans = [], execution } = run;
  const shared = sharedStatements(plans);
  const print = (sql: string, indent: string) => shared.get(sql) ?? statementLiteral(sql, indent);
  return templates.saved({
    place: `${collection} · ${name}`,
    identifier,
    collection,
    name,
    kind,
    document,
    variables: entries(variables ?? {}, 2),
    why: template === undefined ? '' : stringLiteral(template),
    shared: [...shared].map(([sql, name]) => ({ name, value: statementLiteral(sql, '') })),
    plans: plans.map((plan) => planView(plan, print)),
    wakes: Object.entries(wakes ?? {}).map(([name, lines]) => ({ name, lines: lines.map(stringLiteral) })),
    execution: execution
      ? [
          {
            values: Object.entries(execution.values ?? {}).map(([name, value]) => ({
              name,
              value: inlineLiteral(value),
            })),
            plans: printLiteral(execution.plans, 2),
          },
        ]
      : [],
  });
}

/** How an operation runs, for people. */
function remarkOf({ kind, plans, template }: SavedOperation): string {
  if (template !== undefined) return `${kind}, planned for each request: ${template}`;
  const roles = [...new Set((plans ?? []).flatMap((plan) => plan.roles))].sort();
  return roles.length > 0 ? `${kind}, static for ${roles.join(', ')}` : `${kind}, invalid`;
}

/** Statements that occur more than once in a file, with the names under which each is printed once. */
function sharedStatements(plans: readonly DeclaredPlan[]): ReadonlyMap<string, string> {
  const met = new Set<string>();
  const repeated = new Map<string, string>();
  for (const { steps } of plans)
    for (const step of steps)
      for (const sql of 'sql' in step ? [step.sql] : step.statements) {
        if (met.has(sql) && !repeated.has(sql)) repeated.set(sql, `statement${repeated.size + 1}`);
        met.add(sql);
      }
  return repeated;
}

function statementLiteral(sql: string, indent: string): string {
  return templateLiteral(indented(sql, indent));
}

/** Indentation of what holds a statement: of the key of a query, and of an entry of a mutation. */
const OF_QUERY = ' '.repeat(10);
const OF_WRITE = ' '.repeat(12);

function planView(
  { roles, when, steps, cached }: DeclaredPlan,
  print: (sql: string, indent: string) => string,
): SavedContext['plans'][number] {
  return {
    roles: inlineLiteral(roles),
    when: when ? inlineLiteral(when) : '',
    steps: steps.map((step) =>
      'sql' in step
        ? { source: step.source, sql: print(step.sql, OF_QUERY), statements: [] }
        : { source: step.source, sql: '', statements: step.statements.map((sql) => print(sql, OF_WRITE)) },
    ),
    cached: cached ? inlineLiteral(cached) : '',
  };
}
