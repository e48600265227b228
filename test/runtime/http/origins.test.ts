/** `cors-domain`: which origins are allowed over HTTP and for sockets, and what is said of entries that are none. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfiguration } from '../../../runtime/configuration/configuration.ts';
import { originMatcher } from '../../../runtime/configuration/origins.ts';
import { send, serve, type TestServer } from '../../harness/server.ts';
import { openSocket } from '../../harness/socket.ts';

/** An entry, origins that it allows as browsers send them, and others. */
const ENTRIES: readonly (readonly [entry: string, allowed: readonly string[], others: readonly string[]])[] =
  [
    ['https://foo.com', ['https://foo.com', 'HTTPS://Foo.com'], ['http://foo.com', 'https://foo.com:8080']],
    ['HTTPS://Foo.COM', ['https://foo.com'], ['https://a.foo.com', 'https://foo.com.evil.org']],
    ['https://foo.com:443', ['https://foo.com'], ['https://foo.com:444']],
    ['http://foo.com:80', ['http://foo.com'], ['https://foo.com']],
    ['http://localhost:3000', ['http://localhost:3000'], ['http://localhost', 'http://localhost:30000']],
    ['http://127.0.0.1:5173', ['http://127.0.0.1:5173'], ['http://127.0.0.1']],
    ['http://[::1]:3000', ['http://[::1]:3000'], ['http://[::1]', 'http://[::2]:3000']],
    ['https://[2001:DB8:0:0:0:0:0:1]', ['https://[2001:db8::1]'], ['https://[2001:db8::2]']],
    ['https://bücher.example', ['https://xn--bcher-kva.example'], ['https://bucher.example']],
    ['capacitor://localhost', ['capacitor://localhost'], ['ionic://localhost', 'capacitor://localhost.evil']],
    ['ionic://localhost', ['ionic://localhost'], ['http://localhost']],
    ['tauri://localhost', ['tauri://localhost'], ['tauri://localhost:1']],
    ['https://tauri.localhost', ['https://tauri.localhost'], ['tauri://localhost']],
    ['app://obsidian.md', ['app://obsidian.md'], ['app://md']],
    [
      'chrome-extension://aapbdbdomjkkjkaonfhkkikfgjllcleb',
      ['chrome-extension://aapbdbdomjkkjkaonfhkkikfgjllcleb'],
      ['chrome-extension://aapbdbdomjkkjkaonfhkkikfgjllclec'],
    ],
    [
      'moz-extension://6E1B0C9E-3C6F-4d0b-9d0a-6f7f0f2a6c11',
      ['moz-extension://6e1b0c9e-3c6f-4d0b-9d0a-6f7f0f2a6c11'],
      [],
    ],
    ['com.example.app+x://host-1:81', ['com.example.app+x://host-1:81'], ['com.example.app+x://host-1']],
    [
      'https://*.foo.com',
      ['https://a.foo.com', 'https://a-b.foo.com'],
      [
        'https://foo.com',
        'https://a.b.foo.com',
        'https://.foo.com',
        'https://evil.org/.foo.com',
        'http://a.foo.com',
      ],
    ],
    ['http://*.bar.com:8080', ['http://x.bar.com:8080'], ['http://x.bar.com', 'http://x.bar.com:80800']],
    ['https://*.bar.com:443', ['https://x.bar.com'], ['https://bar.com']],
    ['vscode-webview://*.host', ['vscode-webview://a.host'], ['vscode-webview://host', 'https://a.host']],
  ];

/** An entry that is no origin, and what is said of it. */
const REFUSED = [
  ['foo.com', 'the scheme is missing'],
  ['localhost:3000', 'the scheme is missing'],
  ['//foo.com', 'the scheme is missing'],
  ['https:/foo.com', 'the scheme is missing'],
  ['1a://foo.com', 'the scheme is missing'],
  ['null', 'null is the origin of pages of any site'],
  ['https://', 'the host is missing'],
  ['https://:443', 'the host is missing'],
  ['file:///', 'the host is missing'],
  ['https://foo.com/', 'nothing may follow the host and the port'],
  ['https://foo.com/path', 'nothing may follow the host and the port'],
  ['https://foo.com?x', 'nothing may follow the host and the port'],
  ['https://foo.com#x', 'nothing may follow the host and the port'],
  ['capacitor://localhost/', 'nothing may follow the host and the port'],
  ['https://me:pw@foo.com', 'credentials are no part of an origin'],
  ['https://a.com https://b.com', 'a blank is no part of an origin'],
  ['https://*', 'a wildcard stands for one whole label'],
  ['https://*.', 'a wildcard stands for one whole label'],
  ['https://a.*.com', 'a wildcard stands for one whole label'],
  ['https://*a.com', 'a wildcard stands for one whole label'],
  ['https://*.*.com', 'a wildcard stands for one whole label'],
  ['*.foo.com', 'the scheme is missing'],
  ['*://foo.com', 'the scheme is missing'],
  ['http://localhost:*', 'a wildcard stands for one whole label'],
  ['https://.foo.com', 'the host has an empty label'],
  ['https://*..com', 'the host has an empty label'],
  ['http://::1:3000', 'an IPv6 address needs brackets'],
  ['http://foo.com:', 'and a port digits'],
  ['http://foo.com:http', 'the host or the port is not valid'],
  ['http://foo.com:65536', 'the host or the port is not valid'],
  ['http://[::1', 'the host or the port is not valid'],
  ['http://300.1.1.1', 'the host or the port is not valid'],
] as const;

describe('an entry', () => {
  test.each(ENTRIES)(
    '%s allows its scheme, host and port, and one label for a wildcard',
    (entry, allowed, others) => {
      const allows = originMatcher(['https://else.example', entry]);
      expect(allowed.filter((origin) => !allows(origin))).toEqual([]);
      expect([...others, 'null', ''].filter(allows)).toEqual([]);
    },
  );

  test.each(REFUSED)('%s is refused by the name of the option', (entry, why) => {
    const start = `invalid domain: '${entry}'. All domains should have scheme + (optional wildcard) host + (optional port): `;
    const read = (given: string) => () => readConfiguration({ corsDomain: given }, {});
    expect(read(entry)).toThrow(`Option --cors-domain: ${start}`);
    expect(read(`https://foo.com, *, ${entry}`)).toThrow(why);
    expect(() => readConfiguration({}, { ENGINE_GRAPHQL_CORS_DOMAIN: entry })).toThrow(
      `Environment variable ENGINE_GRAPHQL_CORS_DOMAIN: ${start}`,
    );
  });
});

describe('a server', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await serve({
      options: {
        CORS_DOMAIN: 'capacitor://localhost,http://[::1]:3000,https://*.foo.com',
      },
    });
  });
  afterAll(async () => {
    await server.stop();
    await server.database.drop();
  });

  test.each([
    ['capacitor://localhost', true],
    ['http://[::1]:3000', true],
    ['https://a.foo.com', true],
    ['ionic://localhost', false],
    ['http://[::1]', false],
    ['null', false],
  ])('%s: %s', async (origin, isAllowed) => {
    const { headers } = await send(server, '/v1/graphql', {
      headers: { origin },
      body: { query: '{ __typename }' },
    });
    expect(headers['access-control-allow-origin']).toBe(isAllowed ? origin : undefined);
    const opened = openSocket(server, { headers: { origin } });
    if (isAllowed) (await opened).close();
    else await expect(opened).rejects.toThrow();
  });
});
