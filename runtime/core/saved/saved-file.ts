/**
 * A saved operation as its file says it: first the document, who may run it and the statements; at the end, below `execution`, what else
 * a server needs. Its constructor puts both together.
 */
import type { WriteStep } from '../mutation/step.ts';
import type {
  SavedOperation,
  SavedPlan,
  SavedStep,
  SavedValue,
  SavedWrite,
  SavedWriteStatement,
} from './saved.ts';

export interface DeclaredOperation extends Omit<SavedOperation, 'values' | 'plans'> {
  readonly plans?: readonly DeclaredPlan[];
  readonly execution?: Execution;
}

/** Statements are laid out: their lines are indented as their place in the file is. */
export interface DeclaredPlan extends Pick<SavedPlan, 'roles' | 'when' | 'cached'> {
  /** `sql` reads; `statements` write, and are one root field of a mutation. */
  readonly steps: readonly (
    | { readonly source: string; readonly sql: string }
    | { readonly source: string; readonly statements: readonly string[] }
  )[];
}

/** What a server needs to run the statements: how values are written, where errors belong, what is written, how the answer is put together. */
interface Execution {
  readonly values?: Readonly<Record<string, SavedValue>>;
  readonly plans: readonly PlanExecution[];
}

interface PlanExecution extends Pick<SavedPlan, 'values' | 'answer'> {
  /** Positions of the plans that it is about. Absent: all of them. */
  readonly of?: readonly number[];
  /** In order. Absent where there is nothing to say of any. */
  readonly steps?: readonly StepExecution[];
}

interface StepExecution extends Pick<SavedStep, 'once' | 'reads'> {
  /** Of a root field of a mutation: its statements, in order. */
  readonly statements?: readonly Omit<SavedWriteStatement, 'sql'>[];
  readonly answer?: WriteStep['answer'];
}

/**
 * Declares an operation of a query collection.
 * @throws Error where `execution` does not fit the plans
 */
export function savedOperation({ execution, plans, ...operation }: DeclaredOperation): SavedOperation {
  if (!plans) return Object.freeze(operation);
  const place = `the saved operation ${operation.collection}.${operation.name}`;
  if (!execution)
    throw new Error(
      `${place} is from another version of Engine: it has no \`execution\`. Compile again with this one`,
    );
  const { values, plans: executions } = execution;
  return Object.freeze({
    ...operation,
    ...(values && { values }),
    plans: plans.map((plan, index): SavedPlan => {
      const found = executions.find(({ of }) => of === undefined || of.includes(index));
      if (!found) throw new Error(`${place}: \`execution\` says nothing of plan ${index}`);
      const { of: _, steps = [], ...rest } = found;
      return {
        ...plan,
        ...rest,
        steps: fitted(plan.steps, steps, `${place}, plan ${index}: steps`).map(([step, more], position) =>
          savedStep(step, more, `${place}, plan ${index}, step ${position}`),
        ),
      };
    }),
  });
}

function savedStep(
  step: DeclaredPlan['steps'][number],
  { statements: facts = [], answer, ...more }: StepExecution,
  place: string,
): SavedStep | SavedWrite {
  if ('sql' in step) return { source: step.source, sql: withoutIndentation(step.sql), ...more };
  if (!answer) throw new Error(`${place}: \`execution\` has no answer`);
  return {
    source: step.source,
    statements: fitted(step.statements, facts, `${place}: statements`).map(([sql, fact]) => ({
      sql: withoutIndentation(sql),
      ...fact,
    })),
    answer,
    ...more,
  };
}

/** Each item with what is said of it; nothing is said of any, or of each. */
function fitted<Item, Said extends object>(
  items: readonly Item[],
  said: readonly Said[],
  place: string,
): readonly (readonly [Item, Said | Record<string, never>])[] {
  if (said.length > 0 && said.length !== items.length)
    throw new Error(`${place} are ${items.length}, and \`execution\` has ${said.length}`);
  return items.map((item, index) => [item, said[index] ?? {}]);
}

/** The parts of an operation in the order of its file. Statements are not indented yet. */
export function declaredOperation({ values, plans, ...operation }: SavedOperation): DeclaredOperation {
  if (!plans) return operation;
  const executions: { readonly text: string; readonly execution: PlanExecution; readonly of: number[] }[] =
    [];
  plans.forEach((plan, index) => {
    const execution = executionOf(plan);
    const text = JSON.stringify(execution);
    const known = executions.find((each) => each.text === text);
    if (known) known.of.push(index);
    else executions.push({ text, execution, of: [index] });
  });
  return {
    ...operation,
    plans: plans.map(({ roles, when, cached, steps }) => ({
      roles,
      ...(when && { when }),
      steps: steps.map((step) =>
        'sql' in step
          ? { source: step.source, sql: step.sql }
          : { source: step.source, statements: step.statements.map(({ sql }) => sql) },
      ),
      ...(cached && { cached }),
    })),
    execution: {
      ...(values && { values }),
      plans: executions.map(({ execution, of }) =>
        executions.length > 1 ? { of, ...execution } : execution,
      ),
    },
  };
}

function executionOf({ steps, values, answer }: SavedPlan): PlanExecution {
  const said = steps.map((step): StepExecution => {
    if ('sql' in step) {
      const { source: _, sql: __, ...more } = step;
      return more;
    }
    const { source: _, statements, ...more } = step;
    return { statements: statements.map(({ sql: __, ...fact }) => fact), ...more };
  });
  return {
    ...(said.some((each) => Object.keys(each).length > 0) && { steps: said }),
    ...(values && { values }),
    answer,
  };
}

/** A statement as lines of a file, from the line break before it to the indentation of what follows. */
export function indented(sql: string, indent: string): string {
  const lines = sql.split('\n').map((line) => `\n${indent}  ${line}`);
  return `${lines.join('')}\n${indent}`;
}

/** The opposite of `indented`: the indentation of the first line is that of all. */
function withoutIndentation(text: string): string {
  const indent = /^\n( *)/.exec(text)?.[1];
  if (indent === undefined) return text;
  const lines = text.slice(1).split('\n');
  if (lines.at(-1)!.trim() === '') lines.pop();
  return lines
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line.trimStart()))
    .join('\n');
}
