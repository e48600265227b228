/** Every case of test/cases/audit: a change, its truth, and what `audit diff` and `lint` say of it. */
import { describe, expect, test } from 'vitest';
import { auditCase, readAuditCases } from '../../../harness/audit-cases.ts';

const ALLOWED = {
  wider: ['wider', 'changed meaning', 'undecidable'],
  other: ['wider', 'changed meaning', 'undecidable'],
  narrower: ['changed meaning', 'undecidable', 'not wider', 'narrower'],
  same: ['changed meaning', 'undecidable', 'not wider', 'same'],
} as const;

describe.each(readAuditCases())('$name', (each) => {
  test('has the verdict of its case', async () => {
    const outcome = await auditCase(each);
    expect(outcome.verdict, outcome.findings.join('\n')).toBe(each.verdict);
    // A case that fails this expects a leak to pass, or an alarm for nothing.
    expect(ALLOWED[each.truth]).toContain(each.verdict);
    for (const part of each.says ?? []) expect(outcome.findings.join('\n')).toContain(part);
    expect(outcome.lint).toEqual(each.lint ?? []);
  });
});
