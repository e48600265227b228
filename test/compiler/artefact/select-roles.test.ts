/** What an artefact for some roles has of the program. */
import { expect, test } from 'vitest';
import { selectRoles } from '../../../compiler/artefact/select-roles.ts';
import { compile } from '../../../compiler/index.ts';
import { readMetadata } from '../../../compiler/phases/1-read/index.ts';
import { catalogsOf } from '../../harness/compile.ts';
import { readRequestProject } from '../../harness/request-project.ts';

test('computed fields that return rows stay where a role may read those rows', async () => {
  const { metadata, database } = await readRequestProject('computed-field-aggregates');
  const { value } = readMetadata(metadata);
  const { plan } = compile({ metadata: value, catalogs: await catalogsOf(value, database.url) }).state;
  const fieldsFor = (...roles: string[]) =>
    Object.fromEntries(
      selectRoles(plan, roles).sources.flatMap(({ tables }) =>
        tables.map(({ shape }) => [shape.name, Object.keys(shape.computedFields ?? {})]),
      ),
    );
  expect(fieldsFor('owner')).toEqual({ sale: ['gross'], shop: ['sales_from'] });
  expect(fieldsFor('clerk')).toEqual({ sale: [], shop: ['sales_from'] });
  expect(fieldsFor('blind')).toEqual({ shop: [] });
});
