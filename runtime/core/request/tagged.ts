/** Adds to the statements of a plan where they come from (see query-tag.ts). */
import type { JoinLevels } from '../join/join.ts';
import type { JoinPlanner } from '../join/tree.ts';
import type { WriteStep } from '../mutation/step.ts';
import type { PlanOptions } from '../query/scope.ts';
import { lazy } from '../remember.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
import { shapeOf } from '../shards/plans.ts';
import type { Statement } from '../sql/print.ts';
import { type Tags, taggedText } from './query-tag.ts';
import type { SelectedField } from './selection.ts';
import type { SelectionContext } from './selection-set.ts';

/** What the comment says of the statements for these root fields. */
export function tagsOf(
  { role }: RoleSchema,
  fields: readonly SelectedField[],
  { operation }: SelectionContext,
): Tags {
  return {
    field_name: fields.map(({ definition }) => definition.name).join(','),
    operation_name: operation.node.name?.value,
    role,
  };
}

/** Adds the comment to a statement of a source. */
type Tagger = (statement: Statement, source: string) => Statement;

/** Statements that are saved are printed from their trees, which have no place for the comment. */
export function createTagger(
  { program, options }: RoleSchema,
  tags: Tags,
  { queryTags }: PlanOptions,
): Tagger {
  if (options.ruleHoles) return (statement) => statement;
  return (statement, source) => {
    const text = taggedText(statement.text, tags, shapeOf(source, program.sources), queryTags);
    return text === statement.text ? statement : { ...statement, text };
  };
}

export function taggedWrite(step: WriteStep, source: string, tagged: Tagger): WriteStep {
  const { instead } = step;
  return {
    ...step,
    statements: step.statements.map((each) => ({ ...each, statement: tagged(each.statement, source) })),
    ...(instead && { instead: lazy(() => taggedWrite(instead(), source, tagged)) }),
  };
}

/** The steps that join rows of other sources, with tagged statements. */
export function levelsOf(joins: JoinPlanner, tagged: Tagger): { readonly joins?: JoinLevels } {
  const levels = joins
    .levels()
    ?.map((level) =>
      level.map((request) =>
        request.kind === 'sql'
          ? { ...request, statement: tagged(request.statement, request.source) }
          : request,
      ),
    );
  return levels ? { joins: levels } : {};
}
