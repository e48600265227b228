import { expect, test } from 'vitest';
import type { NamedInconsistency } from '../../../../runtime/core/diagnostics/inconsistency.ts';
import { enforcePolicy, type PolicyOutcome } from '../../../../runtime/metadata-api/change/policy.ts';

function inconsistent(type: string, name: string): NamedInconsistency {
  return { type, name: `${type} ${name}`, reason: `Inconsistent object: ${name}`, definition: null };
}

const old = inconsistent('table', 'old');
const other = inconsistent('table', 'other');
const own = inconsistent('table', 'own');

function outcome(before: readonly NamedInconsistency[], after: readonly NamedInconsistency[]): PolicyOutcome {
  return { before, after, targets: [own] };
}

test('what was inconsistent before blocks nothing but a replacement of everything', () => {
  enforcePolicy('target', outcome([old], [old]));
  enforcePolicy('others', outcome([old], [old]));
  expect(() => enforcePolicy('everything', outcome([old], [old]))).toThrow(
    expect.objectContaining({
      message: 'cannot continue due to inconsistent metadata',
      status: 400,
      code: 'unexpected',
      internal: [old],
    }),
  );
});

test("an operation's own object must be consistent, even if it was not before", () => {
  expect(() => enforcePolicy('target', outcome([own], [own, other]))).toThrow(
    expect.objectContaining({
      message: 'Inconsistent object: own',
      code: 'invalid-configuration',
      status: 400,
      internal: [own],
    }),
  );
});

test('no other object may become inconsistent', () => {
  expect(() => enforcePolicy('target', outcome([old], [old, other]))).toThrow(
    expect.objectContaining({
      message: 'cannot continue due to new inconsistent metadata',
      status: 400,
      internal: [other],
    }),
  );
  expect(() => enforcePolicy('others', outcome([old], [old, other]))).toThrow(
    expect.objectContaining({
      message: 'cannot continue due to newly found inconsistent metadata',
      status: 500,
      internal: [other],
    }),
  );
});

test('parents of an inherited role may disagree', () => {
  const conflict = inconsistent('inherited role permission inconsistency', 'editor');
  enforcePolicy('target', outcome([], [conflict]));
  enforcePolicy('others', outcome([], [conflict]));
});
