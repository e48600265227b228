/** What came of a change of a row. */
import type { TableApi } from '../../data-questions.ts';
import { Refused } from './answers.ts';
import { at, type GraphqlRequest } from './request.ts';

interface Change {
  readonly api: TableApi;
  readonly request: GraphqlRequest;
  readonly role: string;
  readonly operation: 'insert' | 'update' | 'delete';
}

/** @throws Refused if no row was written: a rule hides a row from a change without an error */
export function requireRow(data: unknown, { api, request, role, operation }: Change): void {
  const affected = at(data, [...api[operation]!.path, api.words.affected_rows]);
  if (affected === 1) return;
  throw new Refused(
    `No row was changed: ${role} may not ${operation} this one, or it is gone.`,
    'permission-error',
    request,
  );
}
