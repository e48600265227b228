/** Transforms of requests and answers: definitions, application, and who decides the host. */
import { describe, expect, test } from 'vitest';
import { parseExactJson } from '../../../../runtime/core/json/exact-json.ts';
import {
  applyRequestTransform,
  applyResponseTransform,
  type OriginalRequest,
  TransformFailure,
} from '../../../../runtime/core/template/apply.ts';
import {
  checkTransform,
  readRequestTransform,
  readResponseTransform,
  TransformDefinitionError,
} from '../../../../runtime/core/template/definition.ts';

const REQUEST: OriginalRequest = {
  method: 'POST',
  url: 'http://hook.test/base?a=1&b&c=x%20y',
  headers: [
    ['Content-Type', 'application/json'],
    ['User-Agent', 'engine/1'],
  ],
  body: parseExactJson('{"id": 12345678901234567890, "name": "A&B", "none": null}'),
  sessionVariables: { 'x-engine-role': 'user' },
};

function apply(definition: unknown, request: Partial<OriginalRequest> = {}) {
  return applyRequestTransform(readRequestTransform(definition), { ...REQUEST, ...request });
}

describe('requests', () => {
  test('an empty transform changes nothing, and keeps the digits of numbers', () => {
    expect(apply({})).toEqual({
      method: 'POST',
      url: REQUEST.url,
      headers: REQUEST.headers,
      body: '{"id":12345678901234567890,"name":"A&B","none":null}',
    });
  });

  test.each([
    ['method', { method: 'put' }, { method: 'PUT' }],
    ['body of version 1', { version: 1, body: '{"n": {{$body.name}}}' }, { body: '{"n":"A&B"}' }],
    [
      'body of version 2',
      { version: 2, template_engine: 'Kriti', body: { action: 'transform', template: '[{{$body.id}}]' } },
      { body: '[12345678901234567890]' },
    ],
    [
      'form',
      {
        version: 2,
        body: {
          action: 'x_www_form_urlencoded',
          form_template: { name: '{{$body.name}}', none: '{{$body.none}}', 'k y': 'x' },
        },
      },
      { body: 'name=A%26B&k%20y=x' },
    ],
    ['path behind the base', { url: '{{$base_url}}' }, { url: REQUEST.url }],
    ['constant host', { url: 'https://other.test/{{$body.name}}' }, { url: 'https://other.test/A%26B' }],
    [
      'query as an object replaces the whole query',
      { query_params: { name: '{{$body.name}}', none: '{{$body.none}}', flag: null, '{{$body.name}}': 'v' } },
      { url: 'http://hook.test/base?name=A%26B&flag&A%26B=v' },
    ],
    [
      'query as a text',
      { query_params: 'n={{escapeUri $body.name}}&c=1' },
      { url: 'http://hook.test/base?n=A%26B&c=1' },
    ],
    ['query that vanishes', { query_params: {} }, { url: 'http://hook.test/base' }],
    [
      'query of the address as a variable',
      { version: 1, body: '{{$query_params}}' },
      { body: '[["a","1"],["b",null],["c","x y"]]' },
    ],
    [
      'headers: remove, then add; one that is added twice goes out twice',
      {
        request_headers: {
          remove_headers: ['user-agent'],
          add_headers: { 'content-type': 'text/plain', 'X-Role': "{{$session_variables['x-engine-role']}}" },
        },
      },
      {
        headers: [
          ['Content-Type', 'application/json'],
          ['content-type', 'text/plain'],
          ['X-Role', 'user'],
        ],
      },
    ],
  ])('%s', (_name, definition, expected) => {
    expect(apply(definition)).toMatchObject(expected);
  });

  test('a removed body is absent', () => {
    expect(apply({ version: 2, body: { action: 'remove' } })).not.toHaveProperty('body');
  });

  test('every failing template is reported', () => {
    const definition = {
      version: 2,
      url: '{{$base_url}}/{{$body.no}}',
      body: { action: 'transform', template: '{{$body.missing}}' },
      request_headers: { add_headers: { a: '{{$body.nothing}}' } },
    };
    const error = (() => {
      try {
        return apply(definition);
      } catch (thrown) {
        return thrown;
      }
    })() as TransformFailure;
    expect(error).toBeInstanceOf(TransformFailure);
    expect(error.problems.map(({ message }) => message)).toEqual([
      "'Object' has no attribute 'no'.",
      "'Object' has no attribute 'missing'.",
      "'Object' has no attribute 'nothing'.",
    ]);
  });

  test('data never chooses the host', () => {
    for (const url of [
      '{{$body.url}}',
      'http://{{$body.host}}/x',
      'http://a{{$body.host}}',
      '{{$body.x}}://a/',
    ]) {
      expect(() => readRequestTransform({ url })).toThrow(TransformDefinitionError);
    }
    // Allowed by its text, but the data would lengthen the name of the host.
    const url = '{{$base_url}}{{$body.name}}';
    expect(() => apply({ url }, { url: 'http://hook.test', body: { name: '.evil.test' } })).toThrow('host');
    for (const name of ['@evil.test', ':8080', '/evil', '\\evil', '?evil', '#evil'])
      expect(() => apply({ url }, { url: 'http://hook.test', body: { name } })).toThrow('Invalid URL');
  });

  test.each([
    ['{{$base_url}}/{{$body.a}}', '/base/%3F%2F%23%20%C3%A9%25'],
    ['{{$base_url}}/x?y={{$body.a}}', '/base/x?y=%3F%2F%23%20%C3%A9%25'],
    // Escaped once, whoever does it.
    ['{{$base_url}}/{{escapeUri $body.a}}', '/base/%3F%2F%23%20%C3%A9%25'],
    ['{{$base_url}}/{{toUpper(escapeUri($body.b))}}', '/base/A%252FB'],
    // The author's own text.
    ['{{$base_url}}/{{"a/b?c"}}', '/base/a/b?c'],
    ['{{$base_url}}/{{$body.none ?? "a/b"}}', '/base/a/b'],
    ['{{$base_url}}/{{$body.b ?? "a/b"}}', '/base/a%2Fb'],
    ['{{$base_url}}{{ if true }}/a/{{$body.b}}{{ else }}/x{{ end }}', '/base/a/a%2Fb'],
    ['{{$base_url}}{{ range _, x := $body.list }}/{{x}}{{ end }}', '/base/1/a%2Fb'],
    ['{{$base_url}}{{ concat(["/a/", $body.b]) }}', '/base/a/a%2Fb'],
    ['{{$base_url}}/a/../{{$body.b}}', '/base/a/../a%2Fb'],
    ['{{$base_url}}/{{$session_variables["x-engine-path"]}}', '/base/..%3F'],
  ])('data is a part of the URL %s', (url, expected) => {
    const body = { a: '?/# é%', b: 'a/b', none: null, list: [1, 'a/b'] };
    const base = 'http://hook.test/base';
    const sessionVariables = { 'x-engine-path': '..?' };
    expect(apply({ url }, { url: base, body, sessionVariables }).url).toBe(`http://hook.test${expected}`);
  });

  test.each(['', '.', '..', '../', './x', 'x/..', 'x/../y', '..\\x', 'x\\..'])(
    'data never chooses the path: %j',
    (s) => {
      const base = 'http://hook.test/base';
      for (const url of [
        '{{$base_url}}/users/{{$body.s}}',
        '{{$base_url}}/users/{{$body.s}}/posts?a=b',
        '{{$base_url}}/users/{{escapeUri $body.s}}/posts',
        '{{$base_url}}/{{ range _, x := $body.list }}{{x}}{{ end }}/posts',
        'https://hook.test/{{ concat([$body.s]) }}/posts',
      ])
        expect(() => apply({ url }, { url: base, body: { s, list: [s] } })).toThrow('data changes the path');
      // As a part of a name, and in a query, it is what it is.
      expect(
        new URL(apply({ url: '{{$base_url}}?q={{$body.s}}' }, { url: base, body: { s } }).url),
      ).toMatchObject({
        pathname: '/base',
        search: s === '' ? '?q=' : `?q=${encodeURIComponent(s)}`,
      });
    },
  );

  test('dots that data completes, in pieces or escaped', () => {
    const base = 'http://hook.test/base';
    for (const [url, s] of [
      ['{{$base_url}}/a/.{{$body.s}}/b', '.'],
      ['{{$base_url}}/a/%2e{{$body.s}}/b', '.'],
      ['{{$base_url}}/a/{{$body.s}}{{$body.s}}/b', '.'],
      ['{{$base_url}}/a/..{{$body.s}}', ''],
    ] as const)
      expect(() => apply({ url }, { url: base, body: { s } })).toThrow('data changes the path');
    expect(apply({ url: '{{$base_url}}/{{$body.s}}' }, { url: base, body: { s: '%2e%2e' } }).url).toBe(
      'http://hook.test/base/%252e%252e',
    );
  });

  test('a query as a text takes no further parameters from data', () => {
    const url = 'http://hook.test/base';
    const query_params = 'q={{$body.s}}{{ range _, x := $body.list }}&x={{x}}{{ end }}';
    expect(apply({ query_params }, { url, body: { s: 'a&admin=1#', list: ['1&y=2'] } }).url).toBe(
      `${url}?q=a%26admin%3D1%23&x=1%26y%3D2`,
    );
  });

  test('headers take no line breaks from data', () => {
    const definition = { request_headers: { add_headers: { a: '{{$body.v}}' } } };
    expect(() => apply(definition, { body: { v: 'x\r\nHost: evil' } })).toThrow(
      'cannot be sent: its value has the control character U+000D at position 2',
    );
  });
});

describe('definitions', () => {
  test.each([
    [{ version: 3 }, 'version: expected 1 or 2, encountered 3'],
    [{ template_engine: 'Other' }, 'template_engine: expected Kriti, encountered "Other"'],
    [{ bodies: 1 }, ': Unexpected key "bodies".'],
    [{ version: 1, body: '{{' }, 'body: Unexpected end of the template.'],
    [
      { version: 2, body: { action: 'shred' } },
      'body.action: expected remove, transform or x_www_form_urlencoded, encountered "shred"',
    ],
    [
      { request_headers: { remove_headers: [1] } },
      'request_headers.remove_headers: A list of strings is expected.',
    ],
    [{ method: 'GET /' }, 'method: A method consists of letters.'],
  ])('%j', (definition, message) => {
    expect(() => readRequestTransform(definition)).toThrow(message);
  });

  test('checks name the place', () => {
    const transform = readRequestTransform({
      version: 2,
      url: '{{$base_url}}/{{$body.a}}',
      query_params: { q: '{{$body.b}}' },
      body: { action: 'transform', template: '{{$body.c}}' },
      request_headers: { add_headers: { h: '{{$other}}' } },
    });
    const shapes = { $body: { kind: 'object', fields: {} }, $base_url: { kind: 'any' } } as const;
    expect(checkTransform(transform, shapes).map(({ at, message }) => `${at}: ${message}`)).toEqual([
      "request_headers.add_headers.h: Unbound variable '$other'.",
      "url: 'Object' has no attribute 'a'.",
      "query_params: 'Object' has no attribute 'b'.",
      "body.template: 'Object' has no attribute 'c'.",
    ]);
  });
});

describe('answers', () => {
  const context = { status: 201, sessionVariables: { 'x-engine-role': 'user' } };
  const template = (text: string) =>
    readResponseTransform({ version: 2, body: { action: 'transform', template: text } });

  test.each([
    ['{"uri": "ipfs://{{$body.IpfsHash}}"}', { IpfsHash: 'Qm' }, { uri: 'ipfs://Qm' }],
    ['[{{$response.status}}, {{$response.body.a}}]', { a: 1 }, [201, 1]],
    ['{{$request}}', null, null],
  ])('%s', (text, body, expected) => {
    expect(applyResponseTransform(template(text), body, context)).toEqual(expected);
  });

  test('know the request that a transform made', () => {
    const request = apply({ version: 1, body: '{"n": {{$body.name}}}' });
    const answer = applyResponseTransform(template('[{{$request.method}}, {{$request.body.n}}]'), null, {
      ...context,
      request,
    });
    expect(answer).toEqual(['POST', 'A&B']);
  });

  test('a removed body is null, a failing template is a failure', () => {
    const removed = readResponseTransform({ version: 2, body: { action: 'remove' } });
    expect(applyResponseTransform(removed, { a: 1 }, context)).toBeNull();
    expect(applyResponseTransform(readResponseTransform({}), { a: 1 }, context)).toEqual({ a: 1 });
    expect(() => applyResponseTransform(template('{{$body.x}}'), null, context)).toThrow(TransformFailure);
  });
});
