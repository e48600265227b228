/** Whether the server answered a random request at all: with data, or with an error that tells the client what is wrong. */
import { EngineError } from '../../../runtime/core/errors.ts';
import { databaseError } from '../../../runtime/database/errors.ts';
import type { InProcess } from '../../harness/in-process.ts';
import type { Random } from '../random.ts';
import { type HostileRequest, randomDocument } from './document.ts';

export interface Defect {
  readonly request: HostileRequest;
  readonly detail: string;
}

/** Sends one random request of the role; undefined: it was answered. */
export async function sendHostile(
  random: Random,
  served: InProcess,
  kind: 'query' | 'mutation',
  role: string,
  session: Readonly<Record<string, string>>,
): Promise<Defect | undefined> {
  const request = randomDocument(random, served.schema(role), kind);
  if (!request) return undefined;
  try {
    JSON.parse(await served.answer(request, role, session));
    return undefined;
  } catch (error) {
    const detail = defectOf(error);
    return detail === undefined ? undefined : { request, detail };
  }
}

/** Why an error is a defect of the server: it is unknown, or an HTTP 500. */
export function defectOf(thrown: unknown): string | undefined {
  const error = databaseError(thrown);
  if (error instanceof EngineError && error.code !== 'unexpected' && error.status < 500) return undefined;
  if (!(error instanceof EngineError)) return String((error as Error).stack ?? error);
  return `${error.code} at ${error.path}: ${error.message} ${JSON.stringify(error.internal)}`;
}

export function describeDefect({ request, detail }: Defect): string {
  return `${request.query}\n\n${JSON.stringify(request.variables)}\n\n-- ${detail}`;
}
