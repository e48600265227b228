import { expect, test } from 'vitest';
import { metadataApiPage } from '../../../../runtime/metadata-api/request/documentation-page.ts';

test('docs/metadata-api.md tells what the registry says (vitest run FILE --update writes it)', async () => {
  await expect(metadataApiPage()).toMatchFileSnapshot('../../../../docs/metadata-api.md');
});
