import Fastify from 'fastify';
import { afterAll, describe, expect, it } from 'vitest';
import { CANONICAL } from '../../../runtime/core/vocabulary.ts';
import { graphiql } from '../../../runtime/http/graphiql.ts';

const query = '{ tag(where: { name: { _eq: "</script><b>" } }) { id } }';
const role = { name: 'customer', description: 'A customer', headers: { 'x-engine-role': 'customer' }, query };
const server = Fastify();
await server.register(graphiql, { vocabulary: CANONICAL, roles: [role] });
afterAll(() => server.close());

describe('the GraphiQL page', () => {
  it('loads from this server alone', async () => {
    const page = await server.inject('/graphiql');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
    expect(page.body).not.toMatch(/(src|href)="(https?:)?\/\//);
    for (const [, file] of page.body.matchAll(/(?:src|href)="(\/graphiql\/[^"]+)"/g)) {
      expect((await server.inject(file!)).statusCode).toBe(200);
    }
  });

  it('hands the roles over, whatever is in their queries', async () => {
    const { body } = await server.inject('/graphiql');
    const settings = body.split(/id="settings" nonce="[^"]+">/)[1]!.split('</script>')[0]!;
    expect(JSON.parse(settings)).toEqual({ endpoint: '/v1/graphql', roles: [role] });
  });

  it('serves every file that the script names, and the workers', async () => {
    const { body: script } = await server.inject('/graphiql/page.js');
    const chunks = [...script.matchAll(/"\.\/([\w-]+\.js)"/g)].map((match) => match[1]);
    expect(chunks.length).toBeGreaterThan(0);
    for (const file of [...chunks, 'editor-worker.js', 'json-worker.js', 'graphql-worker.js']) {
      const answer = await server.inject(`/graphiql/${file}`);
      expect([file, answer.statusCode, answer.headers['content-type']]).toEqual([
        file,
        200,
        'text/javascript; charset=utf-8',
      ]);
    }
  });

  it('knows no other files', async () => {
    expect((await server.inject('/graphiql/package.json')).statusCode).toBe(404);
  });
});
