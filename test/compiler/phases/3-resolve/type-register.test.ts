import { describe, expect, test } from 'vitest';
import { compile } from '../../../../compiler/index.ts';
import { createMemory } from '../../../../compiler/memory/memory.ts';
import { resolveStructure } from '../../../../compiler/phases/3-resolve/structure.ts';
import { EXTENSIONS, type NamingOptions } from '../../../../runtime/core/names.ts';
import { linkProgram } from '../../../../runtime/core/program/program.ts';
import { schemaOf } from '../../../../runtime/core/schema/introspected-schema.ts';
import { CANONICAL } from '../../../../runtime/core/vocabulary.ts';
import { readMetadata } from '../../../../runtime/metadata/read-metadata.ts';
import { createLoader } from '../../../../runtime/program/loader.ts';
import { catalogsOf } from '../../../harness/compile.ts';
import { readRequestProject } from '../../../harness/request-project.ts';
import { schemaProblems } from '../../../harness/valid-schema.ts';

const CONVENTIONS: Readonly<Record<string, NamingOptions>> = {
  'engine-default': { enabled: true, default: 'engine-default', extensions: EXTENSIONS },
  'graphql-default': { enabled: true, default: 'graphql-default', extensions: EXTENSIONS },
  'early graphql-default': { enabled: true, default: 'graphql-default', early: true, extensions: EXTENSIONS },
};

describe.each(['reading', 'computed-field-aggregates', 'functions', 'comparisons'])('%s', (name) => {
  test.each(Object.entries(CONVENTIONS))('%s: every type that a schema has is claimed', async (_, naming) => {
    const { metadata: given, database } = await readRequestProject(name);
    const { value: metadata } = readMetadata(given);
    const catalogs = await catalogsOf(metadata, database.url);
    const { types } = resolveStructure(metadata.sources, catalogs, naming, CANONICAL, createMemory());
    const { files } = compile({ metadata, catalogs, naming });
    const program = linkProgram(await createLoader().load(files), { inferFunctionPermissions: true });
    const unclaimed = [false, true].flatMap((relay) =>
      [...schemaOf(program.roleSchema('admin', true, relay)).types.keys()].filter(
        // Types of groups take names that are free (`addGroupFields`).
        (type) => !type.startsWith('__') && !/group_?by/i.test(type) && !types.has(type),
      ),
    );
    expect(unclaimed).toEqual([]);
    expect(schemaProblems(program)).toEqual([]);
  });
});
