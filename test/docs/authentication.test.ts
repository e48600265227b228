/** docs/authentication.md: its configurations are read, its tokens give its sessions, and its webhook's answer is one. */

import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { CANONICAL } from '../../runtime/core/vocabulary.ts';
import { readGrant } from '../../runtime/session/jwt/claims.ts';
import { readJwtConfiguration } from '../../runtime/session/jwt/configuration.ts';
import { JWT_TYPES } from '../../runtime/session/jwt/keys.ts';
import { storeRequestProject } from '../harness/request-project.ts';
import { send, startTestServer, type TestServer } from '../harness/server.ts';
import { startWebhook, type WebhookReceiver } from '../harness/webhook.ts';

const page = readFileSync(new URL('../../docs/authentication.md', import.meta.url), 'utf8');
const blocks = (kind: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`json ${kind}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, text]) => JSON.parse(text!) as Record<string, unknown>,
  );

const tokens = blocks('token');
const providers = blocks('jwt-secret').map((secret, index) => ({
  secret,
  token: tokens[index]!,
  session: blocks('session')[index]!,
  issuer: String(secret.issuer),
}));

describe('tokens', () => {
  test('of a first example and five providers', () => expect(providers).toHaveLength(6));

  test.each(providers)('of $issuer give the session of the page', ({ secret, token, session }) => {
    const configuration = readJwtConfiguration(secret, CANONICAL);
    const { allowedRoles, defaultRole, variables } = readGrant(token, configuration, CANONICAL);
    expect({ role: defaultRole, ...variables }).toEqual(session);
    expect(allowedRoles).toContain(defaultRole);
    expect([token.aud].flat()).toEqual(expect.arrayContaining([...configuration.audience!]));
    expect(token.iss).toBe(configuration.issuer);
  });

  test('have every key and type of the configuration in the table', () => {
    const known = messageOf({ nothing: 1 }).split('known: ')[1]!.split(', ');
    expect(known.length).toBeGreaterThan(8);
    for (const key of known) expect(page).toContain(`\n| \`${key}\` |`);
    for (const type of JWT_TYPES) expect(page).toContain(`\`${type}\``);
  });
});

function messageOf(secret: object): string {
  try {
    readJwtConfiguration(secret, CANONICAL);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

describe('the webhook', () => {
  let hook: WebhookReceiver | undefined;
  let server: TestServer | undefined;
  afterAll(async () => {
    await server?.stop();
    await hook?.close();
  });

  test('gets the request of the page, and its answer is the session', async () => {
    const [[request], [answer]] = [blocks('hook-request'), blocks('hook-answer')];
    hook = await startWebhook((_call, response) => response.end(JSON.stringify(answer)));
    server = await startTestServer(await storeRequestProject('served/notes'), {
      ADMIN_SECRET: 'the secret of this test',
      AUTH_HOOK: `${hook.url}/session`,
      AUTH_HOOK_MODE: 'POST',
    });
    const headers = { ...(request!.headers as Record<string, string>) };
    const { status, json } = await send(server, '/v1/graphql', { headers, body: request!.request as object });
    expect({ status, json }).toMatchObject({ status: 200, json: { data: { note: expect.anything() } } });
    expect(hook.calls[0]!.body).toMatchObject(request!);
  });
});
