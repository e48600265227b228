/** Details of a call for administrators: the request in the metadata's form, without secrets, and the answer. */

import { EngineError } from '../../core/errors.ts';
import { exactJsonOr } from '../../core/json/exact-json.ts';
import type { TransformedRequest } from '../../core/template/apply.ts';
import { type ShownHeader, shownValue } from '../headers.ts';
import type { OutgoingResponse } from '../message.ts';
import type { PreparedAction } from './prepared.ts';

export class CallDetails {
  readonly #action: PreparedAction;
  readonly #headers: readonly ShownHeader[];
  readonly #payload: unknown;
  /** Set once a transform has made the request. */
  transformed: TransformedRequest | undefined;

  constructor(action: PreparedAction, headers: readonly ShownHeader[], payload: unknown) {
    this.#action = action;
    this.#headers = headers;
    this.#payload = payload;
  }

  describe(error: unknown, response?: OutgoingResponse) {
    const { handler } = this.#action.shape;
    return {
      error,
      request: {
        url: handler,
        headers: this.#headers.map((header) => ({ name: header.name, value: shownValue(header) })),
        body: this.#payload,
        transformed_request: this.transformed ? this.#describeTransformed(this.transformed) : null,
      },
      response: response ? describeResponse(response) : null,
    };
  }

  failure(message: string, error: unknown, response?: OutgoingResponse, status = 500): EngineError {
    return new EngineError('unexpected', message, { status, internal: this.describe(error, response) });
  }

  /** Addresses and headers may hold values of environment variables: only what comes from the request is shown. */
  #describeTransformed({ method, body }: TransformedRequest) {
    return {
      method,
      body: body ?? null,
      response_timeout: this.#action.shape.timeout * 1_000_000,
    };
  }
}

/** Maximum bytes of an answer that an error shows. */
const SHOWN_BODY = 16 * 1024;

function describeResponse(response: OutgoingResponse) {
  const { status, headers, body } = response;
  const text = body.subarray(0, SHOWN_BODY).toString('utf8');
  return {
    status,
    body: body.length > SHOWN_BODY ? text : exactJsonOr(text, text),
    headers: headers
      .filter(([name]) => name.toLowerCase() !== 'set-cookie')
      .map(([name, value]) => ({ name, value })),
  };
}
