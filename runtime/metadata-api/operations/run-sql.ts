import type { RunQuery } from '../../catalog/index.ts';
import { setWriter } from '../../database/writer.ts';
import { writerOf } from '../../graphql/writer.ts';
import { object, optional, withDefault } from '../../metadata/combinators.ts';
import type { Json } from '../../metadata/metadata.ts';
import { boolean, name, text } from '../../metadata/values.ts';
import { findSource } from '../change/edit.ts';
import { introspect, introspectSource, withEnumTables } from '../change/read-sources.ts';
import type { SqlClient } from '../change/state.ts';
import type { WorkingCopy } from '../change/working-copy.ts';
import { operation } from '../request/operation.ts';
import {
  type ExecutionProgress,
  endsTransaction,
  runInTransactions,
  runStatements,
  runText,
  sqlError,
  toldWhatStays,
} from '../run-sql/execute.ts';
import { followChanges } from '../run-sql/follow.ts';

interface Arguments {
  readonly sql: string;
  readonly source: string;
  readonly cascade: boolean;
  readonly check_metadata_consistency?: boolean;
  readonly read_only: boolean;
  readonly no_transaction: boolean;
}

export default operation({
  name: 'run_sql',
  spelling: 'either',
  endpoints: ['/v2/query', '/v1/query', '/v1/metadata'],
  documentation:
    'Runs SQL on a source. If it may have changed tracked objects, the catalogs before and after are compared: renames are ' +
    'followed, what was dropped and made again is kept by its name, dependents of what was dropped are refused, or dropped ' +
    'with `cascade`; a refusal rolls the SQL back, but for what the SQL committed itself, which the error says. With `read_only` ' +
    'every statement runs in a read-only transaction, also after a COMMIT, and `no_transaction` has no effect.',
  arguments: object({
    sql: text,
    source: withDefault(name, 'default'),
    cascade: withDefault(boolean, false),
    check_metadata_consistency: optional(boolean),
    read_only: withDefault(boolean, false),
    no_transaction: withDefault(boolean, false),
  }),
  changesMetadata: (args) => checksMetadata(args),
  changesSchema: ({ read_only }) => !read_only,
  run: (args, copy, { session, client }) => {
    findSource(copy.metadata, args.source);
    return copy.database(args.source).withClient(async (connection) => {
      const { user, trace } = writerOf(session, client?.trace);
      await connection.query(setWriter(session.vocabulary), [user, trace]);
      return runSql(args, copy, connection);
    });
  },
});

/** Words after which the database may differ in what the metadata knows of it; the last are functions of a Citus cluster. */
const CHANGES_SCHEMA =
  /\balter\b|\bdrop\b|\breplace\b|\bcreate function\b|\bcomment on\b|citus|distribut|\w*reference_table|colocat|remove_local_tables/i;

function checksMetadata({ sql, read_only, check_metadata_consistency }: Arguments): boolean {
  return !read_only && (check_metadata_consistency ?? CHANGES_SCHEMA.test(sql));
}

/** A transaction cannot become one that writes after its first query. */
const BEGIN_READ_ONLY = 'begin read only; select';

async function runSql(args: Arguments, copy: WorkingCopy, client: SqlClient): Promise<Json> {
  const { sql, source } = args;
  if (args.read_only) return runReadOnly(sql, client);
  const checks = checksMetadata(args);
  if (!checks) copy.noteSql(source);
  // Also when it fails: what was committed by then stays, and a broken connection does not tell.
  else copy.changedDatabases.add(source);
  const progress: ExecutionProgress = { committed: 0 };
  try {
    const run = () => {
      if (args.no_transaction) return runStatements(client, sql, progress);
      return endsTransaction(sql) ? runInTransactions(client, sql, 'begin', progress) : runText(client, sql);
    };
    if (!args.no_transaction) await client.query('begin');
    const answer = checks ? await withCheck(args, copy, client, run) : await run();
    // Deferred constraints speak up only now.
    if (!args.no_transaction) await client.query('commit').catch(refuse(sql));
    return answer;
  } catch (error) {
    if (checks) copy.reintrospect([source]);
    // The connection may be gone, and the transaction with it.
    await client.query('rollback').catch(() => {});
    throw toldWhatStays(error, progress);
  }
}

async function runReadOnly(sql: string, client: SqlClient): Promise<Json> {
  await client.query(BEGIN_READ_ONLY);
  try {
    const answer = await runInTransactions(client, sql, BEGIN_READ_ONLY, { committed: 0 });
    await client.query('commit').catch(refuse(sql));
    return answer;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

function refuse(sql: string): (error: unknown) => never {
  return (error) => {
    throw sqlError(error, sql);
  };
}

/** Runs the SQL between two readings of the catalog, and has the metadata follow what it did. */
async function withCheck(
  { source, cascade }: Arguments,
  copy: WorkingCopy,
  client: SqlClient,
  run: () => Promise<Json>,
): Promise<Json> {
  const query = (sql: string, values?: readonly unknown[]) => client.query(sql, values);
  const baseline = copy.baseline();
  const owner = findSource(copy.metadata, source);
  const declared = { ...owner, attempt: attemptIn(client) };
  const { options } = copy.services;
  const before = await introspectSource(query, owner, options, declared);
  const answer = await run();
  const catalog = await introspect(query, options, declared);
  followChanges(copy, source, before, { ...catalog, enumTables: {} }, cascade);
  // The rows of enum tables are read under the names that they have by now.
  const after = await withEnumTables(query, catalog, findSource(copy.metadata, source));
  copy.takeCatalog(source, after);
  await copy.accept('others', baseline);
  return answer;
}

/** Statements that may fail without an end to the transaction, if there is one. */
function attemptIn(client: SqlClient): RunQuery {
  return async (sql, values) => {
    const isInside = await client.query('savepoint engine_attempt').then(
      () => true,
      () => false,
    );
    try {
      return await client.query(sql, values);
    } catch (error) {
      if (isInside) await client.query('rollback to savepoint engine_attempt');
      throw error;
    } finally {
      if (isInside) await client.query('release savepoint engine_attempt');
    }
  };
}
