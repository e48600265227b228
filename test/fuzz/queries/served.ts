/** A random project as the engine serves it: database made, metadata compiled in process, requests answered. */
import pg from 'pg';
import { compile } from '../../../compiler/index.ts';
import { readMetadata } from '../../../compiler/phases/1-read/index.ts';
import { introspectDatabase } from '../../../compiler/phases/2-introspect/index.ts';
import { EngineError } from '../../../runtime/core/errors.ts';
import { linkProgram } from '../../../runtime/core/program.ts';
import { createPlanner } from '../../../runtime/core/request/planner.ts';
import type { Session } from '../../../runtime/core/session.ts';
import { connectSource } from '../../../runtime/database/source.ts';
import { executeRequest } from '../../../runtime/graphql/execute.ts';
import { createLoader, type Loader } from '../../../runtime/program/loader.ts';
import { projectMetadata, projectSql } from './database.ts';
import type { SessionValues } from './lens.ts';
import type { Document } from './print.ts';
import type { Project } from './project.ts';

/** The database in which projects follow each other. */
export interface Workbench {
  serve(project: Project): Promise<Served>;
  end(): Promise<void>;
}

export interface Served {
  /** The answer's text, or the error that came instead. */
  answer(
    role: string,
    session: SessionValues,
    document: Document,
  ): Promise<{ text: string } | { error: Error }>;
  /** The SQL of a request, if it can be planned. */
  sql(role: string, session: SessionValues, document: Document): string;
  /** The access files, for reports. */
  readonly rules: string;
  end(): Promise<void>;
}

/** Makes a database on the server; `end` drops it. Texts sort by their bytes there, as in TypeScript. */
export async function openWorkbench(serverUrl: string, name: string): Promise<Workbench> {
  const onServer = async (sql: string) => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  const database = pg.escapeIdentifier(name);
  await onServer(
    `create database ${database} template template0 encoding 'UTF8' locale_provider libc locale 'C'`,
  );
  await onServer(`alter database ${database} set search_path = public, extensions`);
  await onServer(`alter database ${database} set timezone = 'UTC'`);
  await onServer(`alter database ${database} set client_min_messages = warning`);
  const address = new URL(serverUrl);
  address.pathname = `/${encodeURIComponent(name)}`;
  const url = address.href;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('create schema extensions; create extension citext schema extensions');
  const loader = createLoader();
  return {
    serve: (project) => serve(client, url, loader, project),
    end: async () => {
      await client.end();
      await onServer(`drop database ${database} with (force)`);
    },
  };
}

async function serve(client: pg.Client, url: string, loader: Loader, project: Project): Promise<Served> {
  await client.query(projectSql(project));
  const catalog = await introspectDatabase((text, values) =>
    client.query(text, values ? [...values] : undefined),
  );
  const read = readMetadata(projectMetadata(project));
  const compiled = compile({ metadata: read.value, catalogs: { default: { ...catalog, enumTables: {} } } });
  const problems = [...read.diagnostics, ...compiled.diagnostics];
  if (problems.length > 0)
    throw new Error(`the project does not compile cleanly: ${JSON.stringify(problems, null, 2)}`);
  const program = linkProgram(await loader.load(compiled.files), { inferFunctionPermissions: true });
  const planner = createPlanner(program, { stringifyNumbers: false, collapseNulls: false });
  const source = connectSource(() => ({ connectionString: url }), {
    maxConnections: 1,
    idleTimeout: 60,
    retries: 0,
    connectionLifetime: 0,
    preparedStatements: 0,
    isolationLevel: 'read-committed',
  });
  const sessionOf = (role: string, session: SessionValues): Session => ({
    role,
    backendOnly: false,
    variables: {
      'x-engine-role': role,
      ...Object.fromEntries(Object.entries(session).map(([name, { text }]) => [name, text])),
    },
  });
  return {
    answer: async (role, session, document) => {
      try {
        const execution = { planner, sources: new Map([['default', source]]) };
        return { text: await executeRequest(document, sessionOf(role, session), execution) };
      } catch (error) {
        return { error: error as Error };
      }
    },
    sql: (role, session, document) => {
      try {
        const { plan } = planner.plan(sessionOf(role, session), document);
        return plan.kind === 'query' ? plan.steps.map(({ statement }) => statement.text).join(';\n') : '';
      } catch (error) {
        return error instanceof EngineError
          ? `(not planned: ${error.message})`
          : `(not planned: ${String(error)})`;
      }
    },
    rules: [...compiled.files]
      .filter(([path]) => path.endsWith('.access.ts'))
      .map(([, text]) => text)
      .join('\n'),
    end: () => source.end(),
  };
}
