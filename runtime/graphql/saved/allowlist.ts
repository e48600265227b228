/**
 * Checks operations against the allow-list.
 * @rule Which operations does the allow-list admit?
 */
import { EngineError } from '../../core/errors.ts';
import type { MemoryBudget } from '../../core/memory/budget.ts';
import { stringBytes } from '../../core/memory/heap-bytes.ts';
import { lazy } from '../../core/remember.ts';
import { parseDocument } from '../../core/request/document.ts';
import { type AllowedText, allowedTexts } from '../../core/saved/allowed.ts';
import { comparableDocument } from '../../core/saved/comparable.ts';
import type { SavedProgram } from '../../core/saved/saved.ts';
import { ADMIN_ROLE } from '../../core/session.ts';

/** @throws EngineError unless the role may send the text */
export type CheckAllowed = (role: string, text: string) => void;

/** Roles that may send a document. */
type Allowed = 'every role' | ReadonlySet<string>;

const NOBODY: Allowed = new Set();

/**
 * Makes the check of a program's allow-list. A text is parsed once, however often it is sent; one that is sent as it was saved is
 * not parsed at all.
 * @param memory limits for how many texts the verdict is kept
 */
export function createAllowlist(
  saved: Pick<SavedProgram, 'allowlist' | 'operations'>,
  memory: MemoryBudget,
): CheckAllowed {
  const texts = allowedTexts(saved);
  const byText = rolesBy(texts, ({ text }) => text);
  const byDocument = lazy(() => rolesBy(texts, ({ comparable }) => comparable()));
  const verdicts = memory.cache<string, Allowed>(textBytes);
  const verdictOf = (text: string): Allowed => {
    const known = verdicts.get(text);
    if (known !== undefined) return known;
    const document = comparableDocument(parseDocument(text));
    const verdict = byDocument().get(document) ?? NOBODY;
    verdicts.set(text, verdict);
    return verdict;
  };
  return (role, text) => {
    if (role === ADMIN_ROLE || permits(byText.get(text), role) || permits(verdictOf(text), role)) return;
    throw new EngineError('validation-failed', 'query is not allowed', {
      internal: { message: 'query is not in any of the allowlists' },
      reason: {
        rule: `allowlist.${role}`,
        why: `no collection of the allow-list that is for the role ${role} has the operation`,
        path: 'metadata.allowlist',
      },
    });
  };
}

/** Not a function within: entries of the budget would hold on to the program that they were made for. */
function textBytes(_verdict: Allowed, text: string): number {
  return stringBytes(text);
}

/** Who may send what has the same key. */
function rolesBy(texts: readonly AllowedText[], keyOf: (text: AllowedText) => string): Map<string, Allowed> {
  const allowed = new Map<string, Allowed>();
  for (const text of texts) {
    const { roles } = text.entry;
    const key = keyOf(text);
    const known = allowed.get(key) ?? NOBODY;
    if (roles === undefined || known === 'every role') allowed.set(key, 'every role');
    else allowed.set(key, new Set([...known, ...roles]));
  }
  return allowed;
}

function permits(allowed: Allowed | undefined, role: string): boolean {
  return allowed === 'every role' || allowed?.has(role) === true;
}
