/**
 * Walks `cases/`: each file is a sequence of requests to the metadata API with the expected answers. After each step
 * what is served equals a full compile, and after each sequence a restart. `steps` entries:
 *   send: request body, to: path, as: role, status: 200, answer: expected body (absent = not compared)
 *   exported: expected tables and functions of source default (or, as `metadata`, the whole export)
 * `$DATABASE_URL` in a file stands for the address of the case's database.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { compile } from '../../compiler/index.ts';
import { exportMetadata } from '../../compiler/phases/1-read/index.ts';
import { describeFiles, describeProgram } from '../harness/describe.ts';
import { type MetadataServer, startMetadataServer } from '../harness/metadata-server.ts';

interface Step {
  readonly send?: unknown;
  readonly to?: string;
  readonly as?: string;
  readonly status?: number;
  readonly answer?: unknown;
  readonly tables?: unknown;
  readonly functions?: unknown;
  readonly metadata?: unknown;
}

interface Case {
  readonly sql?: string;
  readonly steps: readonly Step[];
}

const folder = new URL('cases/', import.meta.url);

describe('operations of the metadata API', () => {
  for (const file of readdirSync(folder).sort()) {
    test(file.replace(/\.yaml$/, ''), async () => {
      const { sql = '', steps } = parse(readFileSync(new URL(file, folder), 'utf8')) as Case;
      const server = await startMetadataServer(sql);
      try {
        for (const [index, step] of steps.entries()) {
          await run(server, step, index);
          await expectSameAsFull(server, `step ${index + 1}`);
        }
        await expectSameAfterRestart(server);
      } finally {
        await server.stop();
      }
    });
  }
});

async function run(server: MetadataServer, step: Step, index: number): Promise<void> {
  const place = `step ${index + 1}`;
  if (step.send !== undefined) {
    const before = JSON.stringify(await exported(server));
    const body = JSON.stringify(step.send).replaceAll('$DATABASE_URL', server.database.url);
    const { status, answer } = await server.send(body, {
      ...(step.to !== undefined && { path: step.to }),
      ...(step.as !== undefined && { role: step.as }),
    });
    expect({ status, answer: JSON.stringify(answer) }, place).toMatchObject({ status: step.status ?? 200 });
    if (step.answer !== undefined) expect(hideAddress(server, answer), place).toEqual(step.answer);
    if (status !== 200)
      expect(JSON.stringify(await exported(server)), `${place} changed something`).toBe(before);
  }
  const metadata = (await exported(server)) as { sources: { tables: unknown; functions?: unknown }[] };
  if (step.tables !== undefined) expect(metadata.sources[0]?.tables, place).toEqual(step.tables);
  if (step.functions !== undefined)
    expect(metadata.sources[0]?.functions ?? [], place).toEqual(step.functions);
  if (step.metadata !== undefined) expect(metadata, place).toEqual(step.metadata);
}

async function exported(server: MetadataServer): Promise<unknown> {
  const { answer } = await server.send({ type: 'export_metadata', args: {} });
  return hideAddress(server, answer);
}

function hideAddress(server: MetadataServer, value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(server.database.url, '$DATABASE_URL'));
}

/**
 * What is served by now, made change by change, is what a compile without history makes of the metadata. Describing it
 * plans for every role, so that the next change finds views and plans that it could wrongly keep.
 */
async function expectSameAsFull({ engine: { state }, served }: MetadataServer, place: string): Promise<void> {
  const full = compile({ metadata: state.metadata, catalogs: state.catalogs, remotes: state.remotes });
  expect(Object.fromEntries(state.compilation.files), place).toEqual(Object.fromEntries(full.files));
  expect(describeProgram(served()), place).toBe(await describeFiles(full.files));
}

/** What is served by now is what a start would make of what is stored. */
async function expectSameAfterRestart(server: MetadataServer): Promise<void> {
  const { database, metadataDatabase, engine } = server;
  const restarted = await startMetadataServer('', { database, metadataDatabase });
  try {
    const [now, again] = [engine.state, restarted.engine.state];
    expect(again.resourceVersion).toBe(now.resourceVersion);
    expect(exportMetadata(again.metadata, 'store')).toEqual(exportMetadata(now.metadata, 'store'));
    expect(Object.fromEntries(again.compilation.files)).toEqual(Object.fromEntries(now.compilation.files));
    expect(again.inconsistent).toEqual(now.inconsistent);
    expect(describeProgram(restarted.served())).toBe(describeProgram(server.served()));
  } finally {
    await restarted.stop();
  }
}
