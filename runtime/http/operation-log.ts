/**
 * Log data of the operations of a request: the query, its SQL and how long that took (see
 * docs/logs.md). Nothing is watched unless a log needs it.
 */
import type { Configuration } from '../configuration/configuration.ts';
import { EngineError } from '../core/errors.ts';
import { remember } from '../core/remember.ts';
import type { RanStatements, WatchStatements } from '../graphql/watch-statements.ts';
import type { LoggedQuery, Observer, TracedStatement } from '../observe/logs/observe.ts';
import type { Trace } from '../outgoing/trace.ts';
import { type Masking, withoutSecrets } from './masking.ts';
import type { HttpRequest } from './request.ts';

/** An operation as a request names it. */
interface LoggedOperation {
  readonly query?: string | undefined;
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** Where the operation and what must not be logged of it are noted. */
type LoggedRequest = Pick<HttpRequest, 'requestId' | 'secrets' | 'query'> &
  Partial<Pick<HttpRequest, 'trace'>>;

/** Runs an operation and logs it. */
export type LogOperation = <Answer>(
  request: LoggedRequest,
  operation: LoggedOperation,
  run: (watch?: WatchStatements) => Promise<Answer>,
) => Promise<Answer>;

/** Runs operations; what is logged of them is what the configuration asks for. Those that are traced are observed as well. */
export function createOperationLog(
  configuration: Configuration,
  observe: Observer,
  masking: Masking | undefined,
): LogOperation {
  const log = createLog(configuration, observe, masking);
  return (request, operation, run) => {
    const { trace } = request;
    return trace?.sampled
      ? log(request, operation, (watch) => runTraced(trace, operation, run, observe, watch))
      : log(request, operation, run);
  };
}

async function runTraced<Answer>(
  trace: Trace,
  { operationName }: LoggedOperation,
  run: (watch?: WatchStatements) => Promise<Answer>,
  observe: Observer,
  watch?: WatchStatements,
): Promise<Answer> {
  const began = performance.now();
  const statements: TracedStatement[] = [];
  let failure: string | undefined;
  try {
    return await run((ran) => {
      watch?.(ran);
      const ended = performance.timeOrigin + performance.now();
      for (const { text } of ran.statements)
        statements.push({ source: ran.source, text, seconds: ran.seconds, ended });
    });
  } catch (error) {
    failure = error instanceof EngineError ? error.code : 'unexpected';
    throw error;
  } finally {
    const seconds = (performance.now() - began) / 1000;
    observe({ kind: 'traced-operation', trace, operationName, seconds, statements, failure });
  }
}

function createLog(
  configuration: Configuration,
  observe: Observer,
  masking: Masking | undefined,
): LogOperation {
  const { enabledLogTypes, slowQueryThreshold: threshold, httpLogQueryOnlyOnError } = configuration;
  const logsQuery = enabledLogTypes.includes('query-log');
  const logsExecution = enabledLogTypes.includes('execution-log');
  const describe = ({ query, operationName, variables }: LoggedOperation): LoggedQuery => ({
    ...(operationName === undefined ? {} : { operationName }),
    ...(query === undefined ? {} : { query }),
    ...(variables === undefined ? {} : { variables: masking ? masking.variables(variables) : variables }),
  });

  if (!logsQuery && !logsExecution && threshold === undefined && !httpLogQueryOnlyOnError && !masking)
    return (_request, _operation, run) => run();
  return async (request, sent, run) => {
    const { variables } = sent;
    // Printing such a value would overflow the stack; the operation fails anyway.
    const operation = isDeeperThan(variables, MAX_DEPTH)
      ? { ...sent, variables: { '': 'nested too deeply to be logged' } }
      : sent;
    const secrets = (operation.variables && masking?.secrets(operation.variables)) ?? [];
    request.secrets = [...request.secrets, ...secrets];
    if (logsQuery || httpLogQueryOnlyOnError) request.query = describe(operation);
    if (!logsQuery && !logsExecution && threshold === undefined) return run();
    const { requestId } = request;
    const ran: RanStatements[] = [];
    const start = performance.now();
    try {
      return await run((statements) => ran.push(statements));
    } finally {
      const seconds = (performance.now() - start) / 1000;
      const generatedSql = () => withoutSecrets(sqlOf(ran), secrets);
      const query = describe(operation);
      if (logsQuery) {
        const kind = ran.length > 0 ? 'database' : 'introspection';
        observe({ kind: 'query', requestId, query, generatedSql: generatedSql(), queryKind: kind });
      }
      if (logsExecution) {
        const times = ran.map(({ source, seconds }) => ({ source, execution_time: seconds }));
        observe({
          kind: 'execution',
          requestId,
          operationName: operation.operationName,
          seconds,
          statements: times,
        });
      }
      if (threshold !== undefined && seconds > threshold)
        observe({ kind: 'slow-query', requestId, query, generatedSql: generatedSql(), seconds, threshold });
    }
  };
}

/** Levels of variables that logs show. */
const MAX_DEPTH = 200;

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeperThan(item, levels - 1));
}

/** Source → its statement, or its statements in the order in which they ended; null where none ran. */
function sqlOf(ran: readonly RanStatements[]): LoggedSql | null {
  if (ran.length === 0) return null;
  const bySource = new Map<string, Sql[]>();
  for (const { source, statements } of ran) {
    const entries = remember(bySource, source, () => []);
    for (const { text, values } of statements) entries.push({ query: text, prepared_arguments: values });
  }
  return Object.fromEntries(
    Array.from(bySource, ([source, entries]) => [source, entries.length === 1 ? entries[0]! : entries]),
  );
}

interface Sql {
  readonly query: string;
  readonly prepared_arguments: readonly (string | null)[];
}

type LoggedSql = Readonly<Record<string, Sql | readonly Sql[]>>;
