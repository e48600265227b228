/** Checks operations against the allow-list. */
import { EngineError } from '../core/errors.ts';
import type { MemoryBudget } from '../core/memory/budget.ts';
import { stringBytes } from '../core/memory/heap-bytes.ts';
import { comparableDocument } from '../core/request/comparable.ts';
import { parseDocument } from '../core/request/document.ts';
import type { AllowedDocument, SavedOperation } from '../core/saved.ts';
import { ADMIN_ROLE } from '../core/session.ts';

export interface Allowlist {
  /** @throws EngineError unless the role may send the text */
  readonly checkText: (role: string, text: string) => void;
  /** As checkText, for an operation of a collection: those of the list are known without being parsed. */
  readonly checkSaved: (role: string, operation: SavedOperation) => void;
}

/** Roles that may send a document. */
type Allowed = 'every role' | ReadonlySet<string>;

const NOBODY: Allowed = new Set();

/**
 * Makes the check of a program's allow-list. A text is parsed once, however often it is sent.
 * @param memory limits for how many texts the verdict is kept
 */
export function createAllowlist(documents: readonly AllowedDocument[], memory: MemoryBudget): Allowlist {
  const allowed = new Map<string, Allowed>();
  for (const { document, roles } of documents) {
    const known = allowed.get(document) ?? NOBODY;
    if (roles === undefined || known === 'every role') allowed.set(document, 'every role');
    else allowed.set(document, new Set([...known, ...roles]));
  }
  const listed = new Map(
    documents.map((entry) => [keyOf(entry.collection, entry.name), allowed.get(entry.document)!]),
  );
  const verdicts = memory.cache<string, Allowed>(textBytes);
  const verdictOf = (text: string): Allowed => {
    const known = verdicts.get(text);
    if (known !== undefined) return known;
    const verdict = allowed.get(comparableDocument(parseDocument(text))) ?? NOBODY;
    verdicts.set(text, verdict);
    return verdict;
  };
  const check = (role: string, verdict: () => Allowed) => {
    if (role === ADMIN_ROLE) return;
    const roles = verdict();
    if (roles === 'every role' || roles.has(role)) return;
    throw new EngineError('validation-failed', 'query is not allowed', {
      internal: { message: 'query is not in any of the allowlists' },
      reason: {
        rule: `allowlist.${role}`,
        why: `no collection of the allow-list that is for the role ${role} has the operation`,
        path: 'metadata.allowlist',
      },
    });
  };
  return {
    checkText: (role, text) => check(role, () => verdictOf(text)),
    checkSaved: (role, { collection, name, document }) =>
      check(role, () => listed.get(keyOf(collection, name)) ?? verdictOf(document)),
  };
}

/** Not a function within: entries of the budget would hold on to the program that they were made for. */
function textBytes(_verdict: Allowed, text: string): number {
  return stringBytes(text);
}

function keyOf(collection: string, name: string): string {
  return JSON.stringify([collection, name]);
}
