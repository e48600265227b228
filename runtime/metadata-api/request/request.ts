/**
 * Reads the body of a request to the metadata, schema or legacy API into the operations to run. All of a bulk is read
 * before any of it runs, so that a badly shaped step costs nothing.
 */

import { EngineError, pathStep } from '../../core/errors.ts';
import { isObject, type MetadataPath } from '../../core/json/json.ts';
import { jsonKind, jsonText, NumberText } from '../../core/types.ts';
import type { Vocabulary } from '../../core/vocabulary.ts';
import { validate } from '../../metadata/codec.ts';
import { toDiagnostic } from '../../metadata/read-metadata.ts';
import type { Endpoint, MetadataOperation } from './operation.ts';
import { findOperation } from './registry.ts';
import { describeWarning, type Warning } from './warning.ts';

export interface MetadataRequest {
  readonly endpoint: Endpoint;
  readonly operation: MetadataOperation;
  /** As the operation's schema made them; of a bulk, the list of requests. */
  readonly args: unknown;
  readonly version: number | undefined;
  readonly resourceVersion: number | undefined;
  /** Where errors of the execution are said to be. */
  readonly path: string;
  /** Keys of the arguments that nothing reads. */
  readonly unknownKeys: readonly Warning[];
  readonly changesMetadata: boolean;
  /** Changes metadata, or may change the schema of a database. */
  readonly changesSchema: boolean;
  readonly anyRole: boolean;
  /** Bulk requests only. */
  readonly steps?: readonly MetadataRequest[];
}

interface Paths {
  /** Path of the request itself. */
  readonly self: string;
  /** Path of its arguments, in parse errors. */
  readonly args: string;
  /** In errors of the execution. */
  readonly execution: string;
}

/** Reads a request; throws `parse-failed` with the path that this endpoint uses. */
export function readRequest(endpoint: Endpoint, body: unknown, vocabulary: Vocabulary): MetadataRequest {
  const paths = {
    self: '$',
    // The legacy endpoint leaves `args` out of its paths, and the schema endpoint out of those of the execution.
    args: endpoint === '/v1/query' ? '$' : '$.args',
    execution: endpoint === '/v2/query' ? '$' : '$.args',
  };
  return read(endpoint, body, paths, vocabulary);
}

function read(endpoint: Endpoint, body: unknown, paths: Paths, vocabulary: Vocabulary): MetadataRequest {
  if (!isObject(body))
    throw parseFailed(
      `parsing Object failed, expected Object, but encountered ${jsonKind(body ?? null)}`,
      paths.self,
    );
  if (body.type === undefined) throw parseFailed('key "type" not found', paths.self);
  if (typeof body.type !== 'string') {
    throw parseFailed(
      `parsing Text failed, expected String, but encountered ${jsonKind(body.type)}`,
      pathStep(paths.self, 'type'),
    );
  }
  const version = readVersion(body.version, paths);
  const operation = findOperation(endpoint, body.type, paths.self);
  if (version === 2 && endpoint === '/v1/metadata' && operation.hasVersion2 !== true) {
    throw parseFailed(unknownCommand(body.type), pathStep(paths.self, 'type'));
  }
  const resourceVersion = readResourceVersion(body.resource_version, paths);
  if (body.args === undefined && operation.argumentsOptional !== true) {
    throw parseFailed('key "args" not found', paths.self);
  }
  const request = { endpoint, operation, version, resourceVersion, path: paths.execution };
  if (operation.isBulk === true) return readBulk(request, body.args, paths, vocabulary);
  // Values of columns are looked at with their columns.
  if (operation.anyRole !== true) requireStorable(body.args, paths.args);
  const command = { endpoint, name: body.type, path: paths.args };
  const { args, unknownKeys } = readArguments(operation, command, body.args ?? {}, vocabulary);
  const { changesMetadata: changes } = operation;
  const changesMetadata = typeof changes === 'function' ? changes(args as never) : changes;
  return {
    ...request,
    args,
    unknownKeys,
    changesMetadata,
    changesSchema: changesMetadata || operation.changesSchema?.(args as never) === true,
    anyRole: operation.anyRole === true && endpoint === '/v1/query',
  };
}

function readBulk(
  request: Omit<
    MetadataRequest,
    'args' | 'unknownKeys' | 'changesMetadata' | 'changesSchema' | 'anyRole' | 'steps'
  >,
  args: unknown,
  paths: Paths,
  vocabulary: Vocabulary,
): MetadataRequest {
  if (!Array.isArray(args)) {
    throw parseFailed(
      `parsing [] failed, expected Array, but encountered ${jsonKind(args ?? null)}`,
      paths.args,
    );
  }
  const steps = args.map((step, index) => {
    const self = pathStep(paths.args, index);
    const execution = pathStep(paths.execution, index);
    const own = {
      self,
      args: request.endpoint === '/v1/query' ? self : `${self}.args`,
      execution: request.endpoint === '/v2/query' ? execution : `${execution}.args`,
    };
    return read(request.endpoint, step, own, vocabulary);
  });
  return {
    ...request,
    args: steps,
    unknownKeys: [],
    steps,
    changesMetadata: steps.some((step) => step.changesMetadata),
    changesSchema: steps.some((step) => step.changesSchema),
    anyRole: steps.length > 0 && steps.every((step) => step.anyRole),
  };
}

function readArguments(
  operation: MetadataOperation,
  { endpoint, name, path }: { readonly endpoint: Endpoint; readonly name: string; readonly path: string },
  input: unknown,
  vocabulary: Vocabulary,
): Pick<MetadataRequest, 'args' | 'unknownKeys'> {
  const { value: args, problems, unknownKeys } = validate(operation.arguments, input, vocabulary);
  const placed = (below: MetadataPath) => below.reduce<string>((base, step) => pathStep(base, step), path);
  const problem = problems[0];
  if (problem === undefined) {
    const warnings = unknownKeys.map(toDiagnostic).map((each) => describeWarning(each, placed(each.path)));
    return { args, unknownKeys: warnings };
  }
  const at = placed(problem.path);
  if (endpoint === '/v1/metadata' && name !== operation.name) {
    throw parseFailed(
      `Error when parsing command ${operation.name}.\nSee our documentation at docs/metadata-api.md#${operation.name}.\n` +
        `Internal error message: ${problem.message}`,
      at,
    );
  }
  throw parseFailed(problem.message, at);
}

/**
 * One text that PostgreSQL cannot read would make a whole stored document unreadable there.
 * @throws EngineError parse-failed
 */
function requireStorable(value: unknown, path: string): void {
  if (typeof value === 'string') {
    const character = value.includes('\0')
      ? 'U+0000'
      : /\p{Surrogate}/u.test(value) && 'half a surrogate pair';
    if (character) throw parseFailed(`a text with ${character} cannot be stored`, path);
  }
  if (value === null || typeof value !== 'object' || value instanceof NumberText) return;
  for (const [key, item] of Object.entries(value)) {
    requireStorable(key, path);
    requireStorable(item, pathStep(path, Array.isArray(value) ? Number(key) : key));
  }
}

function readVersion(value: unknown, paths: Paths): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (value === 1 || value === 2) return value;
  throw parseFailed(`expected 1 or 2, encountered ${jsonText(value)}`, pathStep(paths.self, 'version'));
}

function readResourceVersion(value: unknown, paths: Paths): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  throw parseFailed(
    `parsing Int failed, expected Number, but encountered ${jsonKind(value)}`,
    pathStep(paths.self, 'resource_version'),
  );
}

function parseFailed(message: string, path: string): EngineError {
  return new EngineError('parse-failed', message, { path });
}

function unknownCommand(type: string): string {
  return `unknown metadata command "${type}" for version 2`;
}
