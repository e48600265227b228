/** `GET /`: where people find the pages. */
import { type Endpoints, sendJson } from './context.ts';

const PAGES = [
  ['/console', 'console: permissions, health, events'],
  ['/graphiql', 'GraphiQL: write and run queries'],
] as const;

/** Redirects to the console where there is one, as the other servers of this API family do, and else names what there is. */
export const rootEndpoints: Endpoints = (app, { configuration: { enabledApis } }) => {
  app.get('/', (request, reply) => {
    const pages = PAGES.filter(([url]) => app.hasRoute({ method: 'GET', url }));
    if (pages[0]?.[0] === '/console') return reply.redirect('/console', 302);
    const entries = [
      ...pages,
      ...(enabledApis.includes('graphql') ? [['/v1/graphql', 'GraphQL, by POST'] as const] : []),
      ['/healthz', 'whether the server works'] as const,
    ];
    const hint =
      pages.length > 0 ? '' : 'No page is served here; --enable-console serves a console with a query page.';
    if (!request.headers.accept?.includes('text/html'))
      return sendJson(reply, JSON.stringify({ ...Object.fromEntries(entries), ...(hint && { hint }) }));
    const list = entries.map(([path, what]) => `<li><a href="${path}">${path}</a>: ${what}</li>`).join('');
    return reply
      .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
      .header('x-content-type-options', 'nosniff')
      .type('text/html; charset=utf-8')
      .send(`<!doctype html><html lang="en"><title>Engine</title><ul>${list}</ul><p>${hint}</p></html>`);
  });
};
