/** Log data of a socket and of its operations. No message is logged whole: it may hold a token. */
import { randomUUID } from 'node:crypto';
import type { EngineError } from '../core/errors.ts';
import type { Session } from '../core/session.ts';
import type { GraphqlCall } from '../graphql/saved/call.ts';
import type { HttpContext } from '../http/context.ts';
import { errorObject } from '../http/errors.ts';
import { withoutSecrets } from '../http/masking.ts';
import type { WebsocketObservation } from '../observe/logs/observe.ts';
import type { OperationLog } from './operations.ts';

export interface SocketLog {
  readonly accepted: () => void;
  readonly received: (text: string) => void;
  readonly sent: (message: string | Buffer) => void;
  /** Authentication failed. */
  readonly rejected: (error: EngineError) => void;
  readonly session: (session: Session) => void;
  readonly protocolError: (message: string) => void;
  readonly closed: (code: number, reason: string) => void;
  readonly operation: (id: string, call: GraphqlCall) => OperationLog;
}

/** @param requestId what the client wants its requests to be called, once it has said so */
export function createSocketLog(
  websocketId: string,
  { configuration, observe, masking }: Pick<HttpContext, 'configuration' | 'observe' | 'masking'>,
  requestId: () => string | undefined,
): SocketLog {
  const { enabledLogTypes, logLevel } = configuration;
  const logsQuery = enabledLogTypes.includes('query-log');
  const isDetailed = logLevel === 'debug';
  let session: Session | undefined;
  const report = (
    event: WebsocketObservation['event'],
    detail?: unknown,
    error?: WebsocketObservation['error'],
  ) =>
    observe({
      kind: 'websocket',
      websocketId,
      event,
      detail,
      error,
      userVariables: session?.vocabulary.session(session.variables),
      expiresAt: session?.expiresAt,
    });
  const server = (event: string, detail?: unknown, metadata?: object) => {
    if (isDetailed) observe({ kind: 'ws-server', websocketId, event, detail, metadata });
  };
  return {
    accepted: () => {
      report('accepted');
      server('accepted');
    },
    received: (text) => server('message_received', { message_size: text.length }),
    sent: (message) => {
      if (isDetailed)
        server('message_sent', { message_size: message.length }, describeMessage(message.toString()));
    },
    rejected: (error) => report('rejected', errorObject(error, true)),
    session: (made) => {
      session = made;
    },
    protocolError: (message) => report('conn_err', message),
    closed: (code, reason) => {
      report('closed');
      server('closed', { code, reason });
    },
    operation: (id, { query, operationName, variables }) => {
      const own = requestId() ?? randomUUID();
      return {
        requestId: own,
        event: (type, thrown) => {
          const secrets = (thrown && variables && masking?.secrets(variables)) ?? [];
          const error = thrown && withoutSecrets(errorObject(thrown, true), secrets);
          const detail = {
            operation_id: id,
            request_id: own,
            operation_name: operationName ?? null,
            operation_type: { type, ...(error && { detail: error }) },
            ...(logsQuery && {
              query: {
                query,
                operationName,
                variables: variables && masking ? masking.variables(variables) : variables,
              },
            }),
          };
          report('operation', detail, error);
        },
      };
    },
  };
}

/** Its type, and the operation that it belongs to. */
function describeMessage(message: string): object {
  const [, type, id] = /^\{"type":"(\w+)"(?:,"id":("(?:[^"\\]|\\.)*"))?/.exec(message)!;
  return { event_type: type, ...(id !== undefined && { operation_id: JSON.parse(id) }) };
}
