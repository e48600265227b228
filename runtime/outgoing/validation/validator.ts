/** Asks webhooks whether the input of a mutation is accepted, before anything of it is written. */

import type { InputValidation } from '../../core/contract/shapes.ts';
import type { Environment } from '../../core/environment-template.ts';
import { EngineError } from '../../core/errors.ts';
import { exactJsonOr } from '../../core/json/exact-json.ts';
import { isObject } from '../../core/json/json.ts';
import { remember } from '../../core/remember.ts';
import { jsonText } from '../../core/types.ts';
import type { AskedInput, InputValidator, Request } from '../../graphql/request.ts';
import { type CallMeasures, callService, prepareService, type Service } from '../call.ts';
import { chooseHeaders, clientHeaders, POST_HEADERS, pairsOf, plainHeaders } from '../headers.ts';
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
export interface FinishedValidation extends CallMeasures {
  readonly kind: 'validate-input';
  /** `source.schema.table.operation.role` */
  readonly rule: string;
  /** Address as the metadata writes it. */
  readonly url: string;
  readonly requestId?: string | undefined;
}

/** Maximum bytes of an answer that are read: only the text of a refusal is. */
const READ = 64 * 1024;

/** Makes the validator of a server. */
export function createInputValidator(options: ValidatorOptions): InputValidator {
  const services = new WeakMap<InputValidation, Service>();
  return (asked, request) => {
    const { hook } = asked;
    const prepare = () => prepareService(hook.url, hook.headers ?? [], options.environment);
    return ask(asked, remember(services, hook, prepare), request, options);
  };
}

/** @throws EngineError unless the webhook agrees */
async function ask(
  { hook, rule, input, path }: AskedInput,
  { url, headers: configured, missing }: Service,
  { session, client, deadline }: Request,
  { outgoing, configuredFirst, observe }: ValidatorOptions,
): Promise<void> {
  const { role, vocabulary } = session;
  const variables = vocabulary.session(session.variables);
  const body = jsonText({ version: 1, role, session_variables: variables, data: { input } });
  const failure = (error: unknown, response?: OutgoingResponse) =>
    new EngineError('unexpected', 'internal error', {
      path,
      status: 500,
      internal: { error, request: { url: hook.url }, response: response ? describe(response) : null },
    });
  if (missing.length > 0) throw failure(`Value for environment variables not found: ${missing.join(', ')}`);
  const own = [...POST_HEADERS, ...plainHeaders(variables)];
  const fromClient = clientHeaders(hook, client?.headers, vocabulary);
  const order = configuredFirst ? [configured, own, fromClient] : [fromClient, own, configured];
  const headers = pairsOf(chooseHeaders(order, client ?? {}));
  const { requestId } = client ?? {};
  const response = await callService(
    outgoing.send,
    { url, headers, body, timeout: 1000 * hook.timeout, deadline, maxSize: READ, truncate: true },
    (measures) => observe({ kind: 'validate-input', rule, url: hook.url, ...measures, requestId }),
    (error) => failure({ type: 'http_exception', message: error.message }),
  ).catch((error: unknown) => {
    throw error instanceof EngineError ? error.at(path) : error;
  });
  const { status } = response;
  if (status === 200) return;
  if (status === 400) throw new EngineError('validation-failed', refusal(response), { path });
  throw failure(`expecting 200 or 400 status code, but found ${status}`, response);
}

/** The text of a refusal. */
function refusal({ body }: OutgoingResponse): string {
  const answer = exactJsonOr(body.toString('utf8'));
  return isObject(answer) && typeof answer.message === 'string' ? answer.message : 'input validation failed';
}

function describe({ status, body }: OutgoingResponse) {
  return { status, body: body.toString('utf8') };
}
