/** A project compiled and served without HTTP: metadata and a database in, answers out. */

import type { GraphQLSchema } from 'graphql';
import { compile } from '../../compiler/index.ts';
import type { Ledger } from '../../compiler/model/plan.ts';
import { readMetadata } from '../../compiler/phases/1-read/index.ts';
import type { RunQuery } from '../../runtime/catalog/introspect.ts';
import type { NamingOptions } from '../../runtime/core/names.ts';
import { linkProgram, type Program } from '../../runtime/core/program/program.ts';
import { bindParameters } from '../../runtime/core/request/bind.ts';
import { createPlanner, type GraphqlRequest } from '../../runtime/core/request/planner.ts';
import type { SavedOptions } from '../../runtime/core/saved/saved.ts';
import { graphqlSchema } from '../../runtime/core/schema/graphql-schema.ts';
import type { Session } from '../../runtime/core/session.ts';
import type { Distribution } from '../../runtime/core/shards/shapes.ts';
import type { Statement } from '../../runtime/core/sql/print.ts';
import { CANONICAL } from '../../runtime/core/vocabulary.ts';
import { databaseError } from '../../runtime/database/errors.ts';
import { readConnected, readDatabase } from '../../runtime/database/read-database.ts';
import { executeData } from '../../runtime/graphql/execute.ts';
import type { JsonObject } from '../../runtime/metadata/metadata.ts';
import { createLoader, type Loader } from '../../runtime/program/loader.ts';
import { openSource } from './source.ts';

export interface InProcess {
  /** The answer's text. @throws EngineError */
  answer(
    request: GraphqlRequest,
    role: string,
    variables?: Readonly<Record<string, string>>,
    backendOnly?: boolean,
  ): Promise<string>;
  readonly program: Program;
  /** The statements of a request in order. @throws EngineError when it cannot be planned */
  statements(
    request: GraphqlRequest,
    role: string,
    variables?: Readonly<Record<string, string>>,
  ): readonly Statement[];
  /** The first result of a live query, read as a batch of one. @throws EngineError */
  live(request: GraphqlRequest, role: string, variables?: Readonly<Record<string, string>>): Promise<string>;
  /** The SQL of a request, statements in order. @throws EngineError when it cannot be planned */
  sql(request: GraphqlRequest, role: string, variables?: Readonly<Record<string, string>>): string;
  /** The API as a role sees it. */
  schema(role: string): GraphQLSchema;
  /** Generated texts by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly ledgers: readonly Ledger[];
  end(): Promise<void>;
}

/** @throws Error when the metadata does not compile without a diagnostic; its source is `default` */
export async function serveInProcess(
  url: string,
  metadata: JsonObject,
  loader: Loader = createLoader(),
  options: Partial<SavedOptions> & {
    readonly naming?: Partial<NamingOptions>;
    /** What the catalogs of Citus would say. */
    readonly distribution?: Distribution;
    /** Reads the catalog over a connection that is open, with READER_SETTINGS: a fresh one spends four fifths of the time on its own caches. */
    readonly reader?: RunQuery;
    /** Changes generated files before they are loaded, as a person would by hand. */
    readonly edit?: (files: ReadonlyMap<string, string>) => ReadonlyMap<string, string>;
  } = {},
): Promise<InProcess> {
  const read = readMetadata(metadata);
  const enums = read.value.sources.flatMap(({ tables }) => tables.filter(({ is_enum }) => is_enum));
  const { naming, edit = (files) => files, distribution, reader, ...switches } = options;
  // As a server reads it: without what only audits need.
  const what = [enums.map(({ table }) => table), undefined, read.value.sources[0]] as const;
  const catalog = await (reader
    ? readConnected(reader, ...what)
    : readDatabase({ connectionString: url }, ...what));
  const serving = {
    inferFunctionPermissions: true,
    stringifyNumbers: false,
    collapseNulls: false,
    ...switches,
  };
  const compiled = compile({
    metadata: read.value,
    catalogs: { default: { ...catalog, ...(distribution && { distribution }) } },
    naming: { enabled: false, default: 'engine-default', ...naming },
    serving,
  });
  const isAdvice = ({ code }: { readonly code: string }) =>
    code === 'relationship-not-single' || (distribution !== undefined && code.startsWith('shards-'));
  const problems = [...read.diagnostics, ...compiled.diagnostics].filter((each) => !isAdvice(each));
  if (problems.length > 0)
    throw new Error(`the project does not compile cleanly: ${JSON.stringify(problems, null, 2)}`);
  const program = linkProgram(await loader.load(edit(compiled.files)), serving);
  const planner = createPlanner(program, serving);
  const source = openSource(url, { maxConnections: 1, preparedStatements: 0 });
  const sessionOf = (
    role: string,
    variables: Readonly<Record<string, string>> = {},
    backendOnly = false,
  ): Session => ({
    vocabulary: CANONICAL,
    role,
    backendOnly,
    variables: { 'x-engine-role': role, ...variables },
  });
  const statements: InProcess['statements'] = (request, role, variables) => {
    const { plan } = planner.plan(sessionOf(role, variables), request);
    if (plan.kind === 'query')
      return plan.steps.flatMap((step) => (step.kind === 'sql' ? [step.statement] : []));
    return plan.fields
      .flatMap((field) => ('source' in field && field.step.kind === 'write' ? field.step.statements : []))
      .map(({ statement }) => statement);
  };
  return {
    answer: async (request, role, variables, backendOnly) => {
      const execution = { planner, sources: new Map([['default', source]]) };
      return `{"data":${await executeData(request, sessionOf(role, variables, backendOnly), execution)}}`;
    },
    program,
    statements,
    sql: (...request) =>
      statements(...request)
        .map(({ text }) => text)
        .join(';\n'),
    schema: (role) => graphqlSchema(program.roleSchema(role, false)),
    live: async (request, role, variables) => {
      const session = sessionOf(role, variables);
      const { plan, variables: values } = planner.subscribe(session, request);
      if (plan.kind === 'watched') throw new Error('in-process subscriptions read sources only');
      const bound = bindParameters(plan, values, session);
      try {
        if (plan.apart) {
          const [row] = await source.poll(plan.text, bound);
          return `{"data":${plan.cursor ? (row![0] === null ? null : row![1]) : row![0]}}`;
        }
        const columns = bound.map((value) => [value]);
        const leading = plan.cursor ? [['0']] : [['0'], [null], '0'];
        const rows = await source.poll(plan.text, [...leading, ...columns]);
        // A stream without rows gives none, or only where its cursor went.
        return `{"data":${rows[0]?.[2] ?? null}}`;
      } catch (error) {
        throw databaseError(error);
      }
    },
    files: compiled.files,
    get ledgers() {
      return compiled.state.plan.ledgers;
    },
    end: () => source.end(),
  };
}
