/** `saved/` and `rest/routes.ts`: saved operations, the allow-list, and which URLs run what. */
import type {
  SavedOperation,
  SavedPlan,
  SavedProgram,
  SavedWriteStatement,
} from '../../../runtime/core/saved/saved.ts';
import type { Memory } from '../../memory/memory.ts';
import type { FileNames, ProgramNames } from './names.ts';
import { entries } from './table.ts';
import { inlineLiteral, type Property, type SavedContext, stringLiteral, templates } from './templates.ts';

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
  const { collection, name, kind, document, variables, template, values, wakes, plans = [] } = operation;
  const shared = sharedStatements(plans);
  return templates.saved({
    place: `${collection} · ${name}`,
    identifier,
    collection,
    name,
    kind,
    document,
    variables: entries(variables ?? {}, 2),
    why: template === undefined ? '' : stringLiteral(template),
    values: valueEntries(values),
    wakes: Object.entries(wakes ?? {}).map(([name, lines]) => ({ name, lines: lines.map(stringLiteral) })),
    shared: [...shared.values()],
    plans: plans.map((plan) => planView(plan, shared)),
  });
}

/** How an operation runs, for people. */
function remarkOf({ kind, plans, template }: SavedOperation): string {
  if (template !== undefined) return `${kind}, planned for each request: ${template}`;
  const roles = [...new Set((plans ?? []).flatMap((plan) => plan.roles))].sort();
  return roles.length > 0 ? `${kind}, static for ${roles.join(', ')}` : `${kind}, invalid`;
}

function valueEntries(values: SavedPlan['values'] = {}): Property[] {
  return Object.entries(values).map(([name, value]) => ({ name, value: inlineLiteral(value) }));
}

type SharedStatements = ReadonlyMap<string, SavedContext['shared'][number]>;

/** Statements that occur more than once in a file, by what they say: each is printed once. */
function sharedStatements(plans: readonly SavedPlan[]): SharedStatements {
  const all = plans.flatMap(({ steps }) =>
    steps.flatMap((step) => ('sql' in step ? [] : step.statements.map(statementView))),
  );
  const met = new Set<string>();
  const repeated = new Map<string, SavedContext['shared'][number]>();
  for (const statement of all) {
    const key = keyOf(statement);
    if (met.has(key) && !repeated.has(key))
      repeated.set(key, { name: `statement${repeated.size + 1}`, ...statement });
    met.add(key);
  }
  return repeated;
}

const keyOf = (statement: ReturnType<typeof statementView>) => JSON.stringify(statement);

function statementView({ sql, path = '', noRow, writes }: SavedWriteStatement) {
  return {
    sql,
    path,
    noRow: noRow ? inlineLiteral(noRow) : '',
    writes: writes ? inlineLiteral(writes) : '',
  };
}

function planView(
  { roles, when, steps, values, answer, cached }: SavedPlan,
  shared: SharedStatements,
): SavedContext['plans'][number] {
  return {
    roles: inlineLiteral(roles),
    when: when ? inlineLiteral(when) : '',
    steps: steps.map((step) => {
      const { source } = step;
      if ('sql' in step) {
        const { sql, once = false, reads } = step;
        return { source, sql, once, reads: reads ? inlineLiteral(reads) : '' };
      }
      const statements = step.statements.map((each) => {
        const statement = statementView(each);
        return { ...statement, shared: shared.get(keyOf(statement))?.name ?? '' };
      });
      const { answer, once = false } = step;
      return { source, writes: { statements, answer: inlineLiteral(answer), once } };
    }),
    values: valueEntries(values),
    answer: inlineLiteral(answer),
    cached: cached ? inlineLiteral(cached) : '',
  };
}
