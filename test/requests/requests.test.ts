/**
 * The corpus of requests: each file has a request, its SQL and its answer side by side, executed for real.
 * ENGINE_UPDATE=1 writes what is served into the files.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { layOut } from '../../compiler/phases/4-plan/sql-layout.ts';
import { EngineError } from '../../runtime/core/errors.ts';
import type { JsonObject } from '../../runtime/metadata/metadata.ts';
import { type InProcess, serveInProcess } from '../harness/in-process.ts';
import { createTestDatabase } from '../harness/postgres.ts';

interface Case {
  readonly role: string;
  readonly session?: Readonly<Record<string, string>>;
  readonly request: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly sql?: string;
  readonly answer?: unknown;
  readonly error?: { readonly code: string; readonly path: string; readonly message: string };
}

const folder = fileURLToPath(new URL('./', import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml') && file !== 'metadata.yaml')
  .sort();

let served: InProcess;

beforeAll(async () => {
  const database = await createTestDatabase(readFileSync(join(folder, 'schema.sql'), 'utf8'));
  const metadata = parse(readFileSync(join(folder, 'metadata.yaml'), 'utf8')) as JsonObject;
  served = await serveInProcess(database.url, metadata);
});

afterAll(() => served?.end());

test.each(files)('%s', async (file) => {
  const path = join(folder, file);
  const { role, session, request, variables, ...expected } = parse(readFileSync(path, 'utf8')) as Case;
  const outcome = await run({ role, request, ...(session && { session }), ...(variables && { variables }) });
  if (process.env.ENGINE_UPDATE === '1') {
    const text = stringify(
      { role, session, request, variables, ...outcome },
      { lineWidth: 110, blockQuote: 'literal' },
    );
    writeFileSync(path, text);
  } else {
    expect(outcome, 'ENGINE_UPDATE=1 accepts what is served').toEqual(expected);
  }
});

async function run({ role, session, request, variables }: Case): Promise<Omit<Case, 'role' | 'request'>> {
  try {
    const asked = { query: request, variables };
    const answer = JSON.parse(await served.answer(asked, role, session)) as unknown;
    return { sql: layOut(served.sql(asked, role, session), '').trim(), answer };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return { error: { code: error.code, path: error.path, message: error.message } };
  }
}
