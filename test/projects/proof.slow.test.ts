/** All SQL that is generated for the real projects, proved by the database that their own SQL makes. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compile } from '../../compiler/index.ts';
import { applyMigrations } from '../../compiler/offline/apply.ts';
import { findMigrations } from '../../compiler/offline/migrations.ts';
import { provePlan } from '../../compiler/offline/proof.ts';
import { readMetadataFile } from '../../compiler/phases/1-read/index.ts';
import { programOf } from '../../compiler/phases/4-plan/program.ts';
import type { SourceCatalog } from '../../runtime/catalog/catalog.ts';
import { verifyProgram } from '../../runtime/program/verify/verify.ts';
import { catalogsOf } from '../harness/compile.ts';
import { createTestDatabase } from '../harness/postgres.ts';
import { projectFile, projectNames, remoteSchemasOf } from '../harness/real-project.ts';

describe.each(projectNames)('%s', (name) => {
  test('compiles from its migrations, and every statement is one that Postgres accepts', async () => {
    const read = readMetadataFile(projectFile(name, 'metadata.json'));
    const databases = new Map<string, { connectionString: string }>();
    const catalogs: Record<string, SourceCatalog> = {};
    for (const source of read.value.sources) {
      const folder = projectFile(name, 'sql');
      const [only, ...others] = readdirSync(folder);
      const place = others.length > 0 ? join(folder, source.name) : join(folder, only!);
      const [found] = findMigrations(place, [source]);
      const { url } = await createTestDatabase();
      expect(await applyMigrations(url, 'files' in found! ? found.files : [])).toBeUndefined();
      databases.set(source.name, { connectionString: url });
      catalogs[source.name] = (await catalogsOf(read.value, url))[source.name]!;
    }
    const naming = { enabled: true, default: 'engine-default' } as const;
    const remotes = remoteSchemasOf(name);
    const result = compile({ metadata: read.value, catalogs, remotes, origin: read.origin, naming });
    const errors = [...read.diagnostics, ...result.diagnostics].filter(
      ({ severity }) => severity === 'error',
    );
    expect(errors).toEqual([]);
    const { count, diagnostics } = await provePlan(result.state.plan, databases, read.value, read.origin);
    expect(count).toBeGreaterThan(30);
    // Seven relationships of the anonymised schema map a number to a text: nobody can ever have followed them.
    const refused = diagnostics.map(({ message }) => message);
    expect(
      refused.filter(
        (message) => !/the join of the relationship .* (integer|bigint|numeric) = text/.test(message),
      ),
    ).toEqual([]);
    expect(refused).toHaveLength(name === 'huge-schema' ? 7 : 0);
    // What a program expects of its database is what the database has.
    const verification = await verifyProgram(programOf(result.state.plan), databases);
    expect(verification.changes.filter(({ object }) => !object.startsWith('relationship '))).toEqual([]);
    expect(verification.found).toBe(verification.expected);
  });
});
