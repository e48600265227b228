import { expect, test } from 'vitest';
import { compileJson, metadataJson } from '../../../harness/project.ts';

const retry_conf = { num_retries: 0, interval_sec: 10, timeout_sec: 60 };
const definition = { insert: { columns: '*' } };
const hook = (name: string, target: object, headers: object[] = []) => ({
  name,
  definition,
  retry_conf,
  headers,
  ...target,
});

const metadata = {
  ...metadataJson({
    event_triggers: [
      hook('known', { webhook_from_env: 'HOOK' }, [{ name: 'X', value: 'Bearer {{TOKEN}}' }]),
      hook('address', { webhook_from_env: 'LOST' }),
      hook('template', { webhook: 'https://{{LOST}}/{{HOOK}}/{{GONE}}' }),
      hook('header', { webhook: 'https://a.test' }, [{ name: 'X', value_from_env: 'GONE' }]),
    ],
  }),
  cron_triggers: [
    {
      name: 'nightly',
      webhook: 'https://{{LOST}}',
      schedule: '0 0 * * *',
      include_in_metadata: true,
      headers: [],
    },
  ],
  actions: [
    {
      name: 'ping',
      definition: { handler: '{{LOST}}/ping', output_type: 'String', type: 'query', arguments: [] },
    },
    {
      name: 'pong',
      definition: { handler: '{{HOOK}}/pong', output_type: 'String', type: 'query', arguments: [] },
    },
  ],
};

const reasonsOf = (environment?: ReadonlySet<string>) =>
  compileJson(metadata, environment && { environment }).diagnostics.flatMap(({ inconsistency }) =>
    inconsistency && 'reason' in inconsistency ? [inconsistency.reason] : [],
  );

test('variables that the server does not have are reported where webhooks need them', () => {
  expect(reasonsOf(new Set(['HOOK', 'TOKEN']))).toEqual([
    `Inconsistent object: in table "article": in event trigger "address": environment variable 'LOST' not set`,
    'Inconsistent object: in table "article": in event trigger "template": Value for environment variables not found: LOST, GONE',
    `Inconsistent object: in table "article": in event trigger "header": environment variable 'GONE' not set`,
    'Inconsistent object: in cron trigger nightly: Value for environment variables not found: LOST',
    'Inconsistent object: in action "ping"; Value for environment variables not found: LOST',
  ]);
});

test('ahead of time nothing is said of them', () => {
  expect(reasonsOf()).toEqual([]);
});

test('a trigger without its variable goes on writing events, an action is left out', () => {
  const { events, state } = compileJson(metadata, { environment: new Set(['HOOK', 'TOKEN']) });
  expect(events.sources.flatMap(({ triggers }) => triggers.map(({ name }) => name))).toEqual([
    'address',
    'header',
    'known',
    'template',
  ]);
  expect(state.plan.actions?.actions.map(({ name }) => name)).toEqual(['pong']);
});
