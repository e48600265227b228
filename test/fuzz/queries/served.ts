/** A random project as the engine serves it: database made, metadata compiled in process, requests answered. */
import { EXTENSIONS } from '../../../runtime/core/names.ts';
import type { Distribution } from '../../../runtime/core/shards/shapes.ts';
import { createLoader, type Loader } from '../../../runtime/program/loader.ts';
import { serveInProcess } from '../../harness/in-process.ts';
import { type Defect, sendHostile } from '../hostile/check.ts';
import type { Random } from '../random.ts';
import { createScratchDatabase, type ScratchDatabase } from '../scratch-database.ts';
import { projectMetadata, projectSql } from './database.ts';
import type { SessionValues } from './lens.ts';
import type { Document } from './print.ts';
import type { Project } from './project.ts';

/** The database in which projects follow each other. */
export interface Workbench {
  serve(project: Project, distribution?: Distribution): Promise<Served>;
  end(): Promise<void>;
}

type Answering = (
  role: string,
  session: SessionValues,
  document: Document,
) => Promise<{ readonly text: string } | { readonly error: Error }>;

export interface Served {
  /** The answer's text, or the error that came instead. */
  readonly answer: Answering;
  /** The same of the first result of a live query. */
  readonly live: Answering;
  /** Sends one more request, with operands of every kind; undefined: it was answered as any error may be. */
  hostile(role: string, session: SessionValues, random: Random): Promise<Defect | undefined>;
  /** The SQL of a request, if it can be planned. */
  sql(role: string, session: SessionValues, document: Document): string;
  readonly distribution: Distribution | undefined;
  /** The access files, for reports. */
  readonly rules: string;
  end(): Promise<void>;
}

/** Makes a database on the server; `end` drops it. Texts sort by their bytes there, as in TypeScript. */
export async function openWorkbench(serverUrl: string, name: string): Promise<Workbench> {
  const settings = ['search_path = public, extensions', "timezone = 'UTC'"];
  const database = await createScratchDatabase(serverUrl, name, settings);
  await database.client.query('create schema extensions; create extension citext schema extensions');
  const loader = createLoader();
  return {
    serve: (project, distribution) => serve(database, loader, project, distribution),
    end: database.drop,
  };
}

async function serve(
  { client, url, reader }: ScratchDatabase,
  loader: Loader,
  project: Project,
  distribution: Distribution | undefined,
): Promise<Served> {
  await client.query(projectSql(project));
  const served = await serveInProcess(url, projectMetadata(project), loader, {
    reader,
    apolloFederation: true,
    naming: { extensions: EXTENSIONS },
    ...(distribution && { distribution }),
  });
  const texts = (session: SessionValues) =>
    Object.fromEntries(Object.entries(session).map(([name, { text }]) => [name, text]));
  const answering =
    (kind: 'answer' | 'live'): Answering =>
    async (role, session, document) => {
      try {
        return { text: await served[kind](document, role, texts(session)) };
      } catch (error) {
        return { error: error as Error };
      }
    };
  return {
    answer: answering('answer'),
    live: answering('live'),
    hostile: (role, session, random) => sendHostile(random, served, 'query', role, texts(session)),
    sql: (role, session, document) => {
      try {
        return served.sql(document, role, texts(session));
      } catch (error) {
        return `(not planned: ${String(error)})`;
      }
    },
    distribution,
    rules: [...served.files]
      .filter(([path]) => path.endsWith('.access.ts'))
      .map(([, text]) => text)
      .join('\n'),
    end: () => served.end(),
  };
}
