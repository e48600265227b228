/**
 * An operation → what to run and how to put the answer together. A plan belongs to the schema of one role and one shape of
 * variables, and is kept; values are bound when it runs.
 */
import { Kind } from 'graphql';
import type { SourceShape } from '../contract/shapes.ts';
import { EngineError, UnknownName } from '../errors.ts';
import { planEntities } from '../federation/entities.ts';
import type { JoinLevels, JoinTree } from '../join/join.ts';
import { createJoinPlanner } from '../join/tree.ts';
import type { MutationStep } from '../mutation/step.ts';
import { createScope, type PlanOptions, type Scope } from '../query/scope.ts';
import { planNode } from '../relay/node.ts';
import { lazy, remember } from '../remember.ts';
import { introspectionOf } from '../schema/introspection.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
import { needsTrees } from '../shards/index.ts';
import { planForShards, shapeOf } from '../shards/plans.ts';
import { join, type ParameterSource, raw, type Sql, sql } from '../sql/fragment.ts';
import { print, type Statement } from '../sql/print.ts';
import { selectStatement } from '../sql/statement.ts';
import { type Cached, cachedOf, cacheRequest } from './cached.ts';
import { checkOperationDirectives } from './directives.ts';
import { checkFragmentCycles, type Operation } from './document.ts';
import { queryTag, type Tags, tagFormatOf } from './query-tag.ts';
import type { SelectedField, Selection } from './selection.ts';
import { rootSelection, type SelectionContext } from './selection-set.ts';
import { largerSize, type OperationSize } from './size.ts';
import type { CallStep, Step } from './steps.ts';
import { createTagger, levelsOf, taggedWrite, tagsOf } from './tagged.ts';
import type { Variables } from './variables.ts';

/** Texts of the answer in order: fixed ones, columns of steps, and entities. */
export type AnswerPart = string | ColumnPart | EntitiesPart;

interface ColumnPart {
  readonly step: number;
  readonly column: number;
}

/** Rows of several types, merged in the order of the representations. */
interface EntitiesPart {
  readonly representations: ParameterSource;
  readonly lists: readonly (readonly [typeName: string, ColumnPart])[];
}

export interface QueryPlan {
  readonly kind: 'query';
  readonly steps: readonly Step[];
  /** Joins into the answers of these steps; absent without joins. */
  readonly joins?: JoinLevels;
  readonly answer: readonly AnswerPart[];
  /** false: the plan holds values of this very request. */
  readonly reusable: boolean;
  /** Of a query with `@cached`. */
  readonly cached?: Cached;
}

/** Root fields of a mutation, in order; those of one source run in one transaction. */
export interface MutationPlan {
  readonly kind: 'mutation';
  readonly fields: readonly MutationRoot[];
  /** What the arguments add to the size of the operation. */
  readonly size?: OperationSize;
  readonly joins?: JoinLevels;
  /** `step` counts the fields; `column` is 0. */
  readonly answer: readonly AnswerPart[];
  readonly reusable: boolean;
}

/** A root field of a mutation, with the place of the joins in its answer. */
type MutationRoot =
  | {
      readonly source: string;
      readonly step: MutationStep;
      /** Path of the field, for questions of the step. */
      readonly path?: string;
      readonly tree?: JoinTree;
    }
  | CallStep;

export type RequestPlan = QueryPlan | MutationPlan;

/** Plans an operation. @throws EngineError for everything that is wrong with it */
export function planOperation(
  roleSchema: RoleSchema,
  operation: Operation,
  variables: Variables,
  options: PlanOptions,
): RequestPlan {
  checkOperationDirectives(operation);
  checkFragmentCycles(operation);
  const context: SelectionContext = { operation, variables };
  switch (operation.kind) {
    case 'query': {
      const selection = rootSelection(roleSchema.roots.query, context);
      return planQuery(roleSchema, selection, context, options);
    }
    case 'mutation': {
      const root = roleSchema.roots.mutation;
      if (!root) throw new UnknownName('mutation_root', firstField(operation), 'no mutations exist', '$');
      return planMutation(roleSchema, rootSelection(root, context), context, options);
    }
    case 'subscription': {
      if (!roleSchema.roots.subscription)
        throw new EngineError('validation-failed', 'no subscriptions exist');
      throw new EngineError(
        'unexpected-payload',
        'subscriptions are not supported over HTTP, use websockets instead',
      );
    }
  }
}

/** The name of the first field that an operation writes at its root. */
export function firstField({ node }: Operation): string {
  const field = node.selectionSet.selections.find((selection) => selection.kind === Kind.FIELD);
  return field?.name.value ?? '';
}

/** Plans a selection of a root type whose fields are read. @throws EngineError */
export function planQuery(
  roleSchema: RoleSchema,
  selection: Selection,
  context: SelectionContext,
  options: PlanOptions,
): QueryPlan {
  const scope = createScope(roleSchema, options);
  const joins = createJoinPlanner(scope);
  const groups = new Map<string, Group>();
  const groupOf = (key: string, make: () => Group) => {
    const group = remember(groups, key, make);
    return { group, step: [...groups.keys()].indexOf(key) };
  };
  const addRead = (
    { source, once }: { readonly source: string; readonly once?: true | undefined },
    expression: Sql,
    tree: JoinTree | undefined,
  ): ColumnPart => {
    const key = `${once ? 'once' : 'sql'} ${source}`;
    const { group, step } = groupOf(key, () => ({ source, once, list: [], trees: [] }));
    if (!('list' in group)) throw new Error('a step is either a call or a statement');
    group.list.push(expression);
    group.trees.push(tree);
    return { step, column: group.list.length - 1 };
  };
  let reusable = true;
  const introspect = lazy(() => {
    const introspected = selection.fields.filter(
      ({ definition: { meaning } }) => meaning.kind === 'introspection',
    );
    return introspectionOf(roleSchema, introspected, context);
  });
  const answer = answerParts(selection, (field): AnswerPart => {
    const { meaning } = field.definition;
    if (meaning.kind === 'introspection') {
      const result = introspect()(field);
      reusable &&= result.reusable;
      return result.text;
    }
    if (meaning.kind === 'constant')
      return JSON.stringify(typeof meaning.value === 'string' ? meaning.value : meaning.value());
    if (meaning.kind === 'node') {
      const {
        source,
        sql: row,
        selection: selected,
      } = planNode(field, meaning.root, context.variables.values, scope);
      return addRead({ source }, row, joins.treeOf(selected));
    }
    if (meaning.kind === 'entities') {
      const { values } = context.variables;
      const entities = planEntities(field, meaning.tables, values, scope);
      reusable &&= entities.reusable;
      const lists = entities.lookups.map(({ typeName, source, sql: list, selection: selected }) => {
        const part = addRead({ source, once: undefined }, list, joins.treeOf(selected));
        return [typeName, part] as const;
      });
      return lists.length > 0 ? { representations: entities.source, lists } : '[]';
    }
    if (meaning.kind === 'call') {
      const { caller, group: name } = meaning;
      const { group, step } = groupOf(`call ${caller} ${name}`, () => ({
        caller,
        name,
        parts: [],
        trees: [],
      }));
      if (!('parts' in group)) throw new Error('a step is either a call or a statement');
      group.parts.push(meaning.resolve(field, scope, context));
      group.trees.push(joins.treeOf(field.selection));
      return { step, column: group.parts.length - 1 };
    }
    if (meaning.kind !== 'query') throw new Error(`a query has no ${meaning.kind}`);
    const expression = meaning.resolve(field.selection, field.arguments, scope);
    return addRead(meaning, expression, joins.treeOf(field.selection));
  });
  const tags = tagsOf(roleSchema, selection.fields, context);
  const steps = [...groups.values()].map((group): Step => {
    const trees = group.trees.some((tree) => tree) ? { trees: group.trees } : {};
    if ('parts' in group) {
      const { caller, name, parts } = group;
      return { kind: 'call', caller, group: name, operation: 'query', parts, ...trees };
    }
    const { source, once, list } = group;
    const { sources } = roleSchema.program;
    return {
      kind: 'sql',
      source,
      statement: taggedStatement(list, needsTrees(roleSchema), shapeOf(source, sources), options, tags),
      ...(once && { once }),
      ...trees,
    };
  });
  const tagged = createTagger(roleSchema, tags, options);
  const plan = planForShards<QueryPlan>(
    { kind: 'query', steps, ...levelsOf(joins, tagged), answer, reusable },
    roleSchema,
  );
  const asked = cacheRequest(context.operation, context.variables);
  if (!asked) return plan;
  const [group] = groups.values();
  const read = group && 'list' in group ? textsOf(group.list) : undefined;
  return { ...plan, cached: cachedOf(asked, plan, read, roleSchema.program.sources) };
}

/** Root fields of one step, in the order of its columns. */
type Group = { readonly trees: (JoinTree | undefined)[] } & (
  | { readonly source: string; readonly once: true | undefined; readonly list: Sql[] }
  | { readonly caller: string; readonly name: string; readonly parts: unknown[] }
);

/** One statement for all root fields of a source; each column is the JSON text of one. */
export function readStatement(expressions: readonly Sql[], keeps = false, tag?: Sql): Statement {
  return print(textsOf(expressions, tag), keeps);
}

/** The same with its comment: within the statement where it can be, so that saved ones have it. */
function taggedStatement(
  list: readonly Sql[],
  keeps: boolean,
  source: SourceShape,
  { queryTags }: PlanOptions,
  tags: Tags,
): Statement {
  const format = tagFormatOf(source, queryTags);
  if (!format) return readStatement(list, keeps);
  const tag = queryTag(format, tags);
  if (format !== 'standard_prepended') return readStatement(list, keeps, raw(tag));
  const statement = readStatement(list, keeps);
  return { ...statement, text: `${tag} ${statement.text}` };
}

/** One row of texts. */
function textsOf(expressions: readonly Sql[], ending?: Sql): Sql {
  const columns = expressions.map((expression) => sql`${expression}::text`);
  return selectStatement({ columns: join(columns, ', '), ...(ending && { ending }) });
}

/** A single root field of a query, for explain. */
export interface ExplainedField {
  /** Name in the answer; below a namespace `namespace.name`. */
  readonly field: string;
  /** undefined for fields that need no database. */
  readonly query?: { readonly source: string; readonly sql: Sql };
}

/** The root fields of a query, each with its own statement. @throws EngineError for other operations */
export function explainOperation(
  roleSchema: RoleSchema,
  operation: Operation,
  variables: Variables,
  options: PlanOptions,
): ExplainedField[] {
  if (operation.kind !== 'query') throw new EngineError('invalid-params', 'only queries can be explained');
  checkOperationDirectives(operation);
  checkFragmentCycles(operation);
  const explained = (selection: Selection, prefix: string): ExplainedField[] =>
    selection.fields.flatMap((field) => {
      const { meaning } = field.definition;
      const name = `${prefix}${field.responseName}`;
      if (meaning.kind === 'namespace') return explained(field.selection, `${name}.`);
      const scope = createScope(roleSchema, options);
      if (meaning.kind === 'node') {
        const { source, sql: row } = planNode(field, meaning.root, variables.values, scope);
        return [{ field: name, query: { source, sql: textsOf([row]) } }];
      }
      if (meaning.kind === 'entities')
        return planEntities(field, meaning.tables, variables.values, scope).lookups.map((lookup) => ({
          field: name,
          query: { source: lookup.source, sql: textsOf([lookup.sql]) },
        }));
      if (meaning.kind !== 'query') return [{ field: name }];
      const expression = meaning.resolve(field.selection, field.arguments, scope);
      return [{ field: name, query: { source: meaning.source, sql: textsOf([expression]) } }];
    });
  return explained(rootSelection(roleSchema.roots.query, { operation, variables }), '');
}

function planMutation(
  roleSchema: RoleSchema,
  selection: Selection,
  context: SelectionContext,
  options: PlanOptions,
): MutationPlan {
  const scope: Scope = createScope(roleSchema, options);
  const joins = createJoinPlanner(scope);
  const fields: MutationRoot[] = [];
  let size: OperationSize | undefined;
  const answer = answerParts(selection, (field) => {
    const { meaning } = field.definition;
    const tree = joins.treeOf(field.selection);
    if (meaning.kind === 'call') {
      const { caller, group } = meaning;
      const parts = [meaning.resolve(field, scope, context)];
      fields.push({
        kind: 'call',
        caller,
        group,
        operation: 'mutation',
        parts,
        ...(tree ? { trees: [tree] } : {}),
      });
    } else if (meaning.kind === 'mutation') {
      const step = meaning.resolve(field.selection, field.arguments, scope);
      // Below a namespace a field is a level deeper.
      const above = selection.fields.includes(field) ? 0 : 1;
      if (step.kind === 'write' && step.size)
        size = largerSize(size, { ...step.size, depth: step.size.depth + above });
      const tagged = createTagger(roleSchema, tagsOf(roleSchema, [field], context), options);
      const write = step.kind === 'write' ? taggedWrite(step, meaning.source, tagged) : step;
      fields.push({ source: meaning.source, step: write, path: field.path, ...(tree ? { tree } : {}) });
    } else throw new Error(`a mutation has no ${meaning.kind}`);
    return { step: fields.length - 1, column: 0 };
  });
  const tagged = createTagger(roleSchema, tagsOf(roleSchema, selection.fields, context), options);
  const levels = levelsOf(joins, tagged);
  return planForShards(
    { kind: 'mutation', fields, ...(size && { size }), ...levels, answer, reusable: true },
    roleSchema,
  );
}

/** `{"name":…,"name":…}` around the parts of each root field; namespaces nest. */
export function answerParts<Part extends AnswerPart>(
  selection: Selection,
  part: (field: SelectedField) => Part,
): (Part | string)[] {
  const parts: (Part | string)[] = ['{'];
  selection.fields.forEach((field, index) => {
    parts.push(`${index > 0 ? ',' : ''}${JSON.stringify(field.responseName)}:`);
    const { kind } = field.definition.meaning;
    if (kind === 'typename') parts.push(JSON.stringify(selection.typeName));
    else if (kind === 'namespace') parts.push(...answerParts(field.selection, part));
    else parts.push(part(field));
  });
  parts.push('}');
  return mergeTexts(parts);
}

function mergeTexts<Part extends AnswerPart>(parts: readonly (Part | string)[]): (Part | string)[] {
  const merged: (Part | string)[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (typeof part === 'string' && typeof last === 'string') merged[merged.length - 1] = last + part;
    else merged.push(part);
  }
  return merged;
}
