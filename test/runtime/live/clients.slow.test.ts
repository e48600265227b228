/** The client libraries that people use, against a whole server. */
import { expect, test } from 'vitest';
import { describeClients } from '../../harness/client-suite.ts';
import { INSTALLED_LIBRARIES, LIBRARIES, realClientsPresent } from '../../harness/graphql-clients.ts';

test('Apollo Client and urql are installed (npm run pretest:slow)', () => {
  expect(realClientsPresent).toBe(true);
});

describeClients([...LIBRARIES, ...(realClientsPresent ? INSTALLED_LIBRARIES : [])]);
