/**
 * `@cached` of a query: for how long its answer may be kept, and what the answer depends on. Whether answers are kept at all is the
 * server's to say (live/response-cache.ts).
 * @rule Which answers may be kept?
 */
import type { SourceShape } from '../contract/shapes.ts';
import { BOOLEAN, INT } from '../schema/shared-types.ts';
import { isDistributed } from '../shards/index.ts';
import { shapeOf } from '../shards/plans.ts';
import type { ParameterSource, Sql } from '../sql/fragment.ts';
import type { Statement } from '../sql/print.ts';
import { type ReadSet, readSetOf } from '../sql/reads.ts';
import type { Operation } from './document.ts';
import type { QueryPlan } from './plan.ts';
import { inputNode } from './values.ts';
import type { Variables } from './variables.ts';

/** Maximum seconds for which an answer is kept where the directive does not say it. */
const DEFAULT_TTL = 60;

/** What the directive asks for. */
export interface CacheRequest {
  /** Seconds. */
  readonly ttl: ParameterSource;
  /** The answer is read anew, and replaces the one that is kept. */
  readonly refresh: boolean;
}

/** A query whose answer may be kept: what its one statement reads. Or why not. */
export type Cached = CacheRequest & ({ readonly reads: ReadSet } | { readonly refused: string });

/** What `@cached` of an operation asks for; undefined without it. @throws EngineError for arguments of other types */
export function cacheRequest({ node }: Operation, variables: Variables): CacheRequest | undefined {
  const directive = node.directives?.find(({ name }) => name.value === 'cached');
  if (!directive) return undefined;
  const given = (name: string) =>
    directive.arguments?.find((argument) => argument.name.value === name)?.value;
  const [ttl, refresh] = [given('ttl'), given('refresh')];
  const path = '$.directives.cached';
  // Null is the default, as of a variable that is left out.
  const seconds = ttl && inputNode(INT, ttl, `${path}.ttl`, variables, true);
  const anew = refresh && inputNode(BOOLEAN, refresh, `${path}.refresh`, variables, true);
  const source: ParameterSource =
    seconds?.kind === 'scalar' ? seconds.source : { from: 'constant', value: DEFAULT_TTL };
  return {
    // As plain data, for files of saved operations.
    ttl: source.from === 'constant' ? { ...source, value: Number(source.value) } : source,
    refresh: anew?.kind === 'boolean' && anew.value,
  };
}

/**
 * Judges whether the answer of a plan may be kept. What changes it has to be known: changes of the tables of one database.
 * @param read the tree of its first statement
 */
export function cachedOf(
  request: CacheRequest,
  { steps, joins, answer, reusable }: QueryPlan,
  read: Sql | undefined,
  sources: readonly SourceShape[],
): Cached {
  const refuse = (refused: string): Cached => ({ ...request, refused });
  const [step, ...others] = steps;
  if (joins || steps.some(({ kind }) => kind === 'call'))
    return refuse('it calls an action or a remote schema');
  if (others.length > 0) return refuse('it reads several sources');
  if (!step || !read || step.kind !== 'sql') return refuse('it reads no table');
  if (step.once) return refuse('it calls a VOLATILE function');
  if (!reusable || answer.some((part) => typeof part !== 'string' && 'representations' in part))
    return refuse('its plan holds values of the request');
  if (isDistributed(shapeOf(step.source, sources))) return refuse('the tables are distributed');
  return { ...request, reads: readSetOf(read, (step.statement as Statement).parameters) };
}
