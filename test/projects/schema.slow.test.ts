/** The schema that is served equals the one that the real projects recorded, but for what is listed here. */
import { buildSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { graphqlSchema } from '../../runtime/core/schema/graphql-schema.ts';
import { openProject, projectsPresent, readProjectFile } from '../harness/real-project.ts';
import { describeSchema } from './describe-schema.ts';

interface Exclusion {
  readonly reason: string;
  readonly lines: RegExp;
}

/** Lines of an expected schema that are left out of the comparison; every one of these must match something. */
const EXCLUSIONS: Readonly<Record<string, readonly Exclusion[]>> = {
  simpipe: [
    { reason: 'streams belong to subscriptions', lines: /Stream(\(|:)|StreamCursor|CursorOrdering/ },
    {
      reason: 'PostgreSQL cannot insert into these views, so nested inserts into them are not offered',
      lines:
        /^input (\w+ArrRelInsertInput\.data: \[(cpu|fs|memory|network)|(cpu|fs|memory|network)\w*InsertInput|stepsInsertInput\.(cpu|fs|memory|network))/,
    },
  ],
  carnet: [{ reason: 'streams belong to subscriptions', lines: /_stream(\(|:|_)|cursor_ordering/ }],
  intuition: [{ reason: 'streams belong to subscriptions', lines: /_stream(\(|:|_)|cursor_ordering/ }],
};

/** What the specification asks for and the recorded schemas do not have: `<n>_one` for the custom name `<n>`. */
const SINGLE_ROW = /^(query|subscription)_root\.\w+(_one|One)[(:]/;

describe.skipIf(!projectsPresent)('schemas of real projects', () => {
  test.each([
    ['simpipe', 'admin'],
    ['carnet', 'admin'],
    ['intuition', 'anonymous'],
  ])('%s as %s', async (name, role) => {
    const { program } = await openProject(name);
    const exclusions = EXCLUSIONS[name]!;
    const compared = (lines: readonly string[]) =>
      lines.filter((line) => !exclusions.some((exclusion) => exclusion.lines.test(line)));
    const served = describeSchema(graphqlSchema(program.roleSchema(role, true)));
    const expected = describeSchema(buildSchema(readProjectFile(name, `expected/schema.${role}.graphql`)));
    for (const { reason, lines } of exclusions) {
      expect(
        expected.some((line) => lines.test(line)),
        reason,
      ).toBe(true);
    }
    const difference = (left: readonly string[], right: readonly string[]) => {
      const others = new Set(right);
      return compared(left).filter((line) => !others.has(line));
    };
    expect({
      missing: difference(expected, served),
      unexpected: difference(served, expected).filter((line) => !SINGLE_ROW.test(line)),
    }).toEqual({ missing: [], unexpected: [] });
  });
});
