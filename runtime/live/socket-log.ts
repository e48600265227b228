/** Log data of a socket and of its operations. No message is logged whole: it may hold a token. */
import type { EngineError } from '../core/errors.ts';
import type { Session } from '../core/session.ts';
import { uniqueId } from '../core/unique-id.ts';
import type { GraphqlCall } from '../graphql/saved/call.ts';
import type { HttpContext } from '../http/context.ts';
import { errorObject } from '../http/errors.ts';
import { withoutSecrets } from '../http/masking.ts';
import type { WebsocketObservation } from '../observe/logs/observe.ts';
import type { OperationEvent, OperationLog } from './operations.ts';

type Context = Pick<HttpContext, 'configuration' | 'observe' | 'masking'>;

export class SocketLog {
  readonly #websocketId: string;
  readonly #context: Context;
  #session: Session | undefined;
  /** What the client wants its requests to be called, once it has said so. */
  requestId: string | undefined;

  constructor(websocketId: string, context: Context) {
    this.#websocketId = websocketId;
    this.#context = context;
  }

  get #isDetailed(): boolean {
    return this.#context.configuration.logLevel === 'debug';
  }

  accepted(): void {
    this.report('accepted');
    this.#server('accepted');
  }

  received(text: string): void {
    if (this.#isDetailed) this.#server('message_received', { message_size: text.length });
  }

  sent(message: string | Buffer): void {
    if (this.#isDetailed)
      this.#server('message_sent', { message_size: message.length }, describeMessage(message.toString()));
  }

  /** Authentication failed. */
  rejected(error: EngineError): void {
    this.report('rejected', errorObject(error, true));
  }

  session(made: Session): void {
    this.#session = made;
  }

  protocolError(message: string): void {
    this.report('conn_err', message);
  }

  closed(code: number, reason: string): void {
    this.report('closed');
    this.#server('closed', { code, reason });
  }

  operation(id: string, call: GraphqlCall): OperationLog {
    return new LoggedOperation(this, this.#context, id, call);
  }

  report(
    event: WebsocketObservation['event'],
    detail?: unknown,
    error?: WebsocketObservation['error'],
  ): void {
    const session = this.#session;
    this.#context.observe({
      kind: 'websocket',
      websocketId: this.#websocketId,
      event,
      detail,
      error,
      userVariables: session?.vocabulary.session(session.variables),
      expiresAt: session?.expiresAt,
    });
  }

  #server(event: string, detail?: unknown, metadata?: object): void {
    if (!this.#isDetailed) return;
    this.#context.observe({ kind: 'ws-server', websocketId: this.#websocketId, event, detail, metadata });
  }
}

class LoggedOperation implements OperationLog {
  readonly requestId: string;
  readonly #log: SocketLog;
  readonly #context: Context;
  readonly #id: string;
  readonly #call: GraphqlCall;

  constructor(log: SocketLog, context: Context, id: string, call: GraphqlCall) {
    this.requestId = log.requestId ?? uniqueId();
    this.#log = log;
    this.#context = context;
    this.#id = id;
    this.#call = call;
  }

  event(type: OperationEvent, thrown?: EngineError): void {
    const { configuration, masking } = this.#context;
    const { query, operationName, variables } = this.#call;
    const secrets = (thrown && variables && masking?.secrets(variables)) ?? [];
    const error = thrown && withoutSecrets(errorObject(thrown, true), secrets);
    const detail = {
      operation_id: this.#id,
      request_id: this.requestId,
      operation_name: operationName ?? null,
      operation_type: { type, ...(error && { detail: error }) },
      ...(configuration.enabledLogTypes.includes('query-log') && {
        query: {
          query,
          operationName,
          variables: variables && masking ? masking.variables(variables) : variables,
        },
      }),
    };
    this.#log.report('operation', detail, error);
  }
}

/** Its type, and the operation that it belongs to. */
function describeMessage(message: string): object {
  const [, type, id] = /^\{"type":"(\w+)"(?:,"id":("(?:[^"\\]|\\.)*"))?/.exec(message)!;
  return { event_type: type, ...(id !== undefined && { operation_id: JSON.parse(id) }) };
}
