import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { renderAnnotations } from '../../../../compiler/review/findings/annotations.ts';
import { readMessages } from '../../../../compiler/review/findings/messages.ts';
import { findingsOf, renderSarif, sarifRules } from '../../../../compiler/review/findings/sarif.ts';
import type { Diagnostic } from '../../../../runtime/core/diagnostics/diagnostic.ts';

const diagnostics: readonly Diagnostic[] = [
  {
    code: 'unknown-key',
    severity: 'warning',
    message: 'One: 100%,\nof two.',
    details: ['Do this.'],
    path: ['sources', 0],
    location: { file: join(process.cwd(), 'meta data/täbles.yaml'), line: 4, column: 7 },
  },
  { code: 'sql-refused', severity: 'error', message: 'Refused.', path: [] },
];
const describe = (path: Diagnostic['path']) => path.join('.');
const findings = findingsOf(diagnostics, describe);

/** The part of the schema of SARIF 2.1.0 that is used here, strict: a property that is not listed is not in the schema. */
const text = z.strictObject({ text: z.string().min(1), markdown: z.string().min(1).optional() });
const level = z.enum(['none', 'note', 'warning', 'error']);
const sarif = z.strictObject({
  $schema: z.url(),
  version: z.literal('2.1.0'),
  runs: z.array(
    z.strictObject({
      tool: z.strictObject({
        driver: z.strictObject({
          name: z.string(),
          version: z.string(),
          rules: z.array(
            z.strictObject({
              id: z.string(),
              name: z.string().regex(/^[A-Z]\w*$/),
              shortDescription: text,
              fullDescription: text,
              help: text,
              defaultConfiguration: z.strictObject({ level }),
            }),
          ),
        }),
      }),
      originalUriBaseIds: z.strictObject({ '%SRCROOT%': z.strictObject({ description: text }) }),
      columnKind: z.enum(['utf16CodeUnits', 'unicodeCodePoints']),
      results: z.array(
        z.strictObject({
          ruleId: z.string(),
          ruleIndex: z.int().min(0).optional(),
          level,
          message: text,
          locations: z.array(
            z.strictObject({
              physicalLocation: z
                .strictObject({
                  artifactLocation: z.strictObject({
                    uri: z.string().regex(/^[\w.~%-]+(\/[\w.~%-]+)*$/),
                    uriBaseId: z.literal('%SRCROOT%'),
                  }),
                  region: z.strictObject({ startLine: z.int().min(1), startColumn: z.int().min(1) }),
                })
                .optional(),
              logicalLocations: z.array(z.strictObject({ fullyQualifiedName: z.string() })).optional(),
            }),
          ),
          partialFingerprints: z.record(z.string(), z.string()),
        }),
      ),
    }),
  ),
});

test('SARIF is valid, names places from the working folder, and holds the rules it needs', () => {
  const log = sarif.parse(JSON.parse(renderSarif(findings, sarifRules(readMessages()), '1.2.3')));
  const [run] = log.runs;
  expect(run!.tool.driver.rules.map(({ id }) => id)).toEqual(['sql-refused', 'unknown-key']);
  for (const { ruleId, ruleIndex } of run!.results)
    expect(run!.tool.driver.rules[ruleIndex!]!.id).toBe(ruleId);
  expect(run!.results).toMatchObject([
    {
      level: 'warning',
      message: { text: 'One: 100%,\nof two.\nDo this.' },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'meta%20data/t%C3%A4bles.yaml', uriBaseId: '%SRCROOT%' },
            region: { startLine: 4, startColumn: 7 },
          },
          logicalLocations: [{ fullyQualifiedName: 'sources.0' }],
        },
      ],
    },
    { level: 'error', locations: [] },
  ]);
});

test('a finding keeps its fingerprint when it moves, and has one of its own', () => {
  const fingerprints = (list: typeof findings) =>
    JSON.parse(renderSarif(list, [], '1')).runs[0].results.map(
      ({ partialFingerprints }: { partialFingerprints: object }) => partialFingerprints,
    );
  const [first, second] = fingerprints(findings);
  expect(first).not.toEqual(second);
  const moved = findings.map((finding) => ({
    ...finding,
    ...(finding.location && { location: { ...finding.location, line: 99 } }),
  }));
  expect(fingerprints(moved)).toEqual([first, second]);
});

test('annotations escape what would end them', () => {
  expect(renderAnnotations(findings)).toBe(
    '::warning file=meta data/täbles.yaml,line=4,col=7,title=unknown-key::One: 100%25,%0Aof two.%0ADo this.%0Asources.0\n' +
      '::error title=sql-refused::Refused.\n',
  );
});
