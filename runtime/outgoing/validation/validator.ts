/** Asks webhooks whether the input of a mutation is accepted, before anything of it is written. */

import { USER_AGENT } from '../../configuration/version.ts';
import type { InputValidation } from '../../core/contract/shapes.ts';
import { type Environment, fillTemplate } from '../../core/environment-template.ts';
import { EngineError } from '../../core/errors.ts';
import { parseExactJson } from '../../core/json/exact-json.ts';
import { remember } from '../../core/remember.ts';
import type { Session } from '../../core/session.ts';
import { jsonText } from '../../core/types.ts';
import { vocabulary } from '../../core/vocabulary.ts';
import type { AskedInput, Execution, InputValidator } from '../../graphql/execution.ts';
import { chooseHeaders, clientHeaders, plain } from '../actions/headers.ts';
import { fillHeaders, type ShownHeader } from '../actions/prepared.ts';
import { OutgoingError, unsendableHeader } from '../error.ts';
import type { OutgoingResponse } from '../message.ts';
import type { Outgoing } from '../outgoing.ts';

export interface ValidatorOptions {
  readonly outgoing: Outgoing;
  readonly environment: Environment;
  /** Configured headers win over those of the client. */
  readonly configuredFirst: boolean;
  /** Sees every finished call. */
  readonly observe: (call: FinishedValidation) => void;
}

/** Log data of a call. */
export interface FinishedValidation {
  /** `source.schema.table.operation.role` */
  readonly rule: string;
  /** Address as the metadata writes it. */
  readonly url: string;
  /** Bytes. */
  readonly requestSize: number;
  readonly responseSize: number;
  /** Absent without an answer. */
  readonly status?: number;
  readonly seconds: number;
  readonly requestId?: string | undefined;
}

interface PreparedHook {
  readonly url: string;
  readonly headers: readonly ShownHeader[];
  /** Environment variables without a value: the webhook cannot be asked. */
  readonly missing: readonly string[];
}

/** Maximum bytes of an answer that are read: only the text of a refusal is. */
const READ = 64 * 1024;

/** Makes the validator of a server. */
export function createInputValidator(options: ValidatorOptions): InputValidator {
  const prepared = new WeakMap<InputValidation, PreparedHook>();
  const prepare = (hook: InputValidation): PreparedHook => {
    const url = fillTemplate(hook.url, options.environment);
    const { headers, missing } = fillHeaders(hook.headers, options.environment);
    return { url: url.text, headers, missing: [...new Set([...url.missing, ...missing])] };
  };
  return (asked, session, execution) =>
    ask(
      asked,
      remember(prepared, asked.hook, () => prepare(asked.hook)),
      session,
      execution,
      options,
    );
}

/** @throws EngineError unless the webhook agrees */
async function ask(
  { hook, rule, input, path }: AskedInput,
  prepared: PreparedHook,
  session: Session,
  { client, deadline }: Execution,
  { outgoing, configuredFirst, observe }: ValidatorOptions,
): Promise<void> {
  const { role } = session;
  const variables = vocabulary().session(session.variables);
  const body = jsonText({ version: 1, role, session_variables: variables, data: { input } });
  const failure = (error: unknown, response?: OutgoingResponse) =>
    new EngineError('unexpected', 'internal error', {
      path,
      status: 500,
      internal: { error, request: { url: hook.url }, response: response ? describe(response) : null },
    });
  if (prepared.missing.length > 0)
    throw failure(`Value for environment variables not found: ${prepared.missing.join(', ')}`);
  const own = [
    plain('Content-Type', 'application/json'),
    plain('User-Agent', USER_AGENT),
    ...Object.entries(variables).map(([name, value]) => plain(name, value)),
  ];
  const fromClient = hook.forwardClientHeaders ? clientHeaders(client?.headers ?? {}, undefined) : [];
  const order = configuredFirst ? [prepared.headers, own, fromClient] : [fromClient, own, prepared.headers];
  const startedAt = performance.now();
  let response: OutgoingResponse | undefined;
  try {
    response = await outgoing.send({
      url: prepared.url,
      headers: chooseHeaders(order, client ?? {}).map(({ name, value }) => [name, value] as const),
      body,
      timeout: Math.min(hook.timeout * 1000, deadline === undefined ? Infinity : deadline - startedAt),
      maxSize: READ,
      truncate: true,
    });
  } catch (error) {
    const unsendable = unsendableHeader(error);
    if (unsendable) throw unsendable.at(path);
    if (error instanceof OutgoingError) throw failure({ type: 'http_exception', message: error.message });
    throw error;
  } finally {
    observe({
      rule,
      url: hook.url,
      requestSize: Buffer.byteLength(body),
      responseSize: response?.body.length ?? 0,
      ...(response ? { status: response.status } : {}),
      seconds: (performance.now() - startedAt) / 1000,
      requestId: client?.requestId,
    });
  }
  const { status } = response;
  if (status === 200) return;
  if (status === 400) throw new EngineError('validation-failed', refusal(response), { path });
  throw failure(`expecting 200 or 400 status code, but found ${status}`, response);
}

/** The text of a refusal. */
function refusal({ body }: OutgoingResponse): string {
  try {
    const { message } = parseExactJson(body.toString('utf8')) as { readonly message?: unknown };
    if (typeof message === 'string') return message;
  } catch {
    // A refusal without a text.
  }
  return 'input validation failed';
}

function describe({ status, body }: OutgoingResponse) {
  return { status, body: body.toString('utf8') };
}
