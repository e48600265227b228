import type { OperationAnswer } from '../operator-questions.ts';

/** Scope of an operation in the allow-list. */
export function allowedText(allowed: OperationAnswer['allowed']): string {
  if (allowed === undefined) return 'not listed';
  return typeof allowed === 'string' ? allowed : allowed.join(', ');
}
