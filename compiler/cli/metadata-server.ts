/** The metadata API of a running server, as commands call it. */

import { exactJsonOr } from '../../runtime/core/json/exact-json.ts';
import { jsonText } from '../../runtime/core/types.ts';
import { isCallable } from '../../runtime/outgoing/address.ts';
import { unsendableHeader } from '../../runtime/outgoing/error.ts';
import { createOutgoing } from '../../runtime/outgoing/outgoing.ts';
import { type CommandContext, UsageError } from './command.ts';

export interface EndpointOptions {
  /** Address of the server. */
  readonly endpoint: string;
  readonly adminSecret?: string;
}

/** The server refused, or cannot be reached; the message says why. */
export class MetadataCommandError extends Error {
  override readonly name = 'MetadataCommandError';
}

/** Milliseconds for an answer: a large project on a slow database takes its time. */
const TIMEOUT = 300_000;
const LARGEST_ANSWER = 512 * 1024 * 1024;

export interface InconsistentEntry {
  readonly name?: string;
  readonly reason?: string;
}

export function describe({ name, reason }: InconsistentEntry): string {
  return [name, reason].filter((text) => text !== undefined).join(': ');
}

/** Sends an operation to the server's metadata API. @throws MetadataCommandError, UsageError */
export async function ask(options: EndpointOptions, context: CommandContext, body: object): Promise<unknown> {
  const { endpoint } = options;
  if (!isCallable(endpoint)) {
    throw new UsageError(
      'The value of --endpoint is the address of a server, such as http://localhost:8080.',
    );
  }
  const { vocabulary } = context;
  const variable = vocabulary.environment('ADMIN_SECRET');
  const secret = options.adminSecret ?? context.environment[variable];
  const address = new URL('v1/metadata', endpoint.endsWith('/') ? endpoint : `${endpoint}/`);
  const outgoing = createOutgoing();
  const { status, body: text } = await outgoing
    .send({
      url: address,
      timeout: TIMEOUT,
      maxSize: LARGEST_ANSWER,
      headers: [
        ['content-type', 'application/json'],
        ...(secret === undefined
          ? []
          : ([[vocabulary.fromCanonical('x-engine-admin-secret'), secret]] as const)),
      ],
      body: jsonText(body),
    })
    .catch((error: Error) => {
      const unsendable = unsendableHeader(error);
      if (unsendable) throw new MetadataCommandError(unsendable.message);
      throw new MetadataCommandError(`${endpoint} cannot be reached: ${error.message}.`);
    })
    .finally(() => outgoing.close());
  const answer = exactJsonOr(text.toString('utf8'));
  if (status === 200 && answer !== undefined) return answer;
  throw new MetadataCommandError(
    refusal(endpoint, status, answer, { variable, isGiven: secret !== undefined }),
  );
}

function refusal(
  endpoint: string,
  status: number,
  answer: unknown,
  { variable, isGiven }: { readonly variable: string; readonly isGiven: boolean },
): string {
  if (status === 401) {
    if (isGiven)
      return `The server refused the admin secret: it is not the one that the server was started with. Correct --admin-secret or ${variable}.`;
    return `The server asks for an admin secret: give --admin-secret or set ${variable}.`;
  }
  const { error, internal } = (answer ?? {}) as { error?: unknown; internal?: unknown };
  if (typeof error !== 'string') {
    return `${endpoint} answers ${status}, and not as this server's metadata API does. Is the address right?`;
  }
  const entries = Array.isArray(internal) ? (internal as readonly InconsistentEntry[]) : [];
  return [`The server refused: ${error}`, ...entries.map((entry) => `  ${describe(entry)}`)].join('\n');
}
