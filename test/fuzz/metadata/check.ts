/** One request of a sequence, and everything that must hold after it. */

import { programOf } from '../../../compiler/phases/4-plan/program.ts';
import type { InconsistentObject } from '../../../runtime/core/diagnostics/inconsistency.ts';
import { EngineError } from '../../../runtime/core/errors.ts';
import type { Session } from '../../../runtime/core/session.ts';
import { CANONICAL } from '../../../runtime/core/vocabulary.ts';
import type { JsonObject } from '../../../runtime/metadata/metadata.ts';
import { readRequest } from '../../../runtime/metadata-api/index.ts';
import { type Detail, describeGenerated, describeProgram } from '../../harness/describe.ts';
import { schemaProblems } from '../../harness/valid-schema.ts';
import { dependentNames } from './objects.ts';
import type { RandomRequest } from './random-operation.ts';
import { COMMIT_FAILURE, compiledAfresh, type Engine, exported, type Workbench } from './served.ts';

/** The schemas are compared with those after a restart. */
const DETAIL: Detail = { depth: 1, schemas: false };

const ADMIN: Session = {
  vocabulary: CANONICAL,
  role: 'admin',
  backendOnly: false,
  variables: { 'x-engine-role': 'admin' },
};

/** Sends the request; answers the error if it was refused. Throws what is no answer at all. */
async function send(engine: Engine, { endpoint, body }: RandomRequest): Promise<EngineError | undefined> {
  try {
    await engine.execute(readRequest(endpoint, body, CANONICAL), { session: ADMIN });
    return undefined;
  } catch (error) {
    if (error instanceof EngineError) return error;
    throw error;
  }
}

/** Sends a request and holds everything against what must be so after it; no fault: all is well. */
export async function check(
  engine: Engine,
  request: RandomRequest,
  workbench: Workbench,
): Promise<{ refused?: EngineError; fault?: string }> {
  const before = {
    text: exported(engine),
    version: engine.state.resourceVersion,
    inconsistent: engine.state.inconsistent,
  };
  const served = workbench.served();
  workbench.storeFails = request.storeFails ?? false;
  const refused = await send(engine, request);
  workbench.storeFails = false;
  const swapped = workbench.served() !== served;
  const fault =
    (refused ? faultOfRefusal(engine, before, request, refused) : undefined) ??
    faultOfState(engine) ??
    (refused?.code === 'dependency-error' ? await faultOfCascade(engine, request, refused) : undefined) ??
    (swapped || !refused ? (faultOfSchemas(workbench) ?? faultOfServing(engine, workbench)) : undefined);
  return { ...(refused && { refused }), ...(fault !== undefined && { fault }) };
}

function faultOfRefusal(
  engine: Engine,
  before: { readonly text: string; readonly version: number },
  { body }: RandomRequest,
  refused: EngineError,
): string | undefined {
  if (exported(engine) !== before.text) return 'refused, but what is stored changed';
  if (engine.state.resourceVersion !== before.version) return 'refused, but the version was counted on';
  if (refused.status === 500 && !EXPECTED_500.some((text) => refused.message.startsWith(text))) {
    return `unexpected error 500: ${refused.message} ${refused.stack}`;
  }
  // A drop that leaves something broken behind has forgotten a dependent.
  const broken = (refused.internal ?? []) as readonly InconsistentObject[];
  if (DROPS.has(body.type) && refused.code === 'unexpected' && Array.isArray(broken)) {
    const forgotten = broken.filter(({ type = '' }) => FOLLOWS_DROPS.has(type));
    if (forgotten.length > 0) return `a dependent was forgotten: ${JSON.stringify(forgotten)}`;
  }
  return undefined;
}

const EXPECTED_500 = [
  COMMIT_FAILURE,
  'cannot continue due to newly found inconsistent metadata',
  'Encountered conflicting definitions in the selection set for',
  'the GraphQL type name',
  'Bulk atomic does not support this command',
];

const DROPS: ReadonlySet<string> = new Set([
  'pg_untrack_table',
  'pg_drop_relationship',
  'pg_drop_computed_field',
  'pg_drop_source',
]);

const FOLLOWS_DROPS: ReadonlySet<string> = new Set([
  'object_relation',
  'array_relation',
  'computed_field',
  'remote_relationship',
  'event_trigger',
  'insert_permission',
  'select_permission',
  'update_permission',
  'delete_permission',
  'function',
]);

/** The export reads back to the same bytes, and what is served is what a compile without history serves. */
function faultOfState(engine: Engine): string | undefined {
  const { compilation, inconsistent } = engine.state;
  const { reexported, compilation: afresh } = compiledAfresh(engine);
  if (reexported !== exported(engine))
    return `the export reads back differently:\n${exported(engine)}\n${reexported}`;
  return (
    difference(compilation.files, afresh.files) ??
    differenceOf('inconsistent objects', inconsistent, inconsistentOf(afresh.diagnostics))
  );
}

/**
 * What is served, made change by change, is what the metadata as it stands compiles to without history. Describing it plans
 * for every role, so that the next change finds views and plans that it could wrongly keep.
 */
function faultOfServing(engine: Engine, workbench: Workbench): string | undefined {
  const { compilation } = compiledAfresh(engine);
  return differenceOf(
    'what is served',
    describeProgram(workbench.served(), DETAIL),
    describeGenerated(programOf(compilation.state.plan), DETAIL),
  );
}

/** Every role's schema is valid, and each name of a type belongs to one type. */
function faultOfSchemas(workbench: Workbench): string | undefined {
  const problems = schemaProblems(workbench.served().program);
  return problems.length === 0 ? undefined : `invalid schemas:\n${problems.join('\n')}`;
}

/** With `cascade` the change is accepted, and takes exactly what the refusal named. */
async function faultOfCascade(
  engine: Engine,
  request: RandomRequest,
  refused: EngineError,
): Promise<string | undefined> {
  const { body } = request;
  if (!DROPS.has(body.type)) return undefined;
  const before = dependentNames(exported(engine));
  const args = { ...(body.args as JsonObject), cascade: true };
  const again = await send(engine, { ...request, body: { ...body, args } });
  if (again) {
    const broken = JSON.stringify(again.internal);
    return /inherited|conflict|query_collections/.test(broken + again.message)
      ? undefined
      : `cascade was refused: ${again.message} ${broken}`;
  }
  const after = dependentNames(exported(engine));
  const named = refused.message.replace(/^[^:]*: /, '').split(', ');
  const own = ownPart(args);
  const gone = [...before].filter((name) => !after.has(name) && !own(name)).sort();
  return differenceOf('dependents that cascade removed', gone, named.sort()) ?? faultOfState(engine);
}

/** What belongs to the dropped object itself, which no refusal names. */
function ownPart({ table, source = 'default', relationship, name }: JsonObject): (text: string) => boolean {
  if (table === undefined) return (text) => text.endsWith(`in source "${name}"`);
  const of = typeof table === 'object' ? (table as JsonObject).name : table;
  const part = relationship ?? name;
  const place = `in source "${source}"`;
  return part === undefined
    ? (text) => text.includes(` ${of}.`) && text.endsWith(place)
    : (text) =>
        [`relationship ${of}.${part} ${place}`, `computed field ${of}.${part} ${place}`].includes(text);
}

/** A second engine on the same databases serves the same. */
export async function faultOfRestart(engine: Engine, workbench: Workbench): Promise<string | undefined> {
  const restarted = await workbench.start();
  try {
    const { state } = restarted.engine;
    return (
      differenceOf('version after a restart', engine.state.resourceVersion, state.resourceVersion) ??
      differenceOf('metadata after a restart', exported(engine), exported(restarted.engine)) ??
      difference(engine.state.compilation.files, state.compilation.files) ??
      differenceOf('inconsistent objects after a restart', engine.state.inconsistent, state.inconsistent) ??
      differenceOf(
        'what is served after a restart',
        describeProgram(workbench.served()),
        describeProgram(restarted.served()),
      )
    );
  } finally {
    await restarted.stop();
  }
}

function inconsistentOf(
  diagnostics: readonly { readonly inconsistency?: InconsistentObject }[],
): readonly InconsistentObject[] {
  const texts = diagnostics.flatMap(({ inconsistency }) =>
    inconsistency ? [JSON.stringify(inconsistency)] : [],
  );
  return [...new Set(texts)].map((text) => JSON.parse(text) as InconsistentObject);
}

function difference(
  served: ReadonlyMap<string, string>,
  expected: ReadonlyMap<string, string>,
): string | undefined {
  const paths = [...new Set([...served.keys(), ...expected.keys()])].sort();
  const path = paths.find((candidate) => served.get(candidate) !== expected.get(candidate));
  if (path === undefined) return undefined;
  return `${path} is not what a full compile emits:\n${served.get(path) ?? '(absent)'}\n--- expected\n${expected.get(path) ?? '(absent)'}`;
}

function differenceOf(what: string, found: unknown, expected: unknown): string | undefined {
  const [left, right] = [JSON.stringify(found), JSON.stringify(expected)];
  return left === right ? undefined : `${what}:\n${left}\n--- expected\n${right}`;
}
