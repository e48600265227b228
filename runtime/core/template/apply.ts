/** Applies transforms to requests and answers. */

import { headerProblem } from '../header-text.ts';
import { exactJsonOr } from '../json/exact-json.ts';
import { jsonText } from '../types.ts';
import { authorityOf, type RequestTransform, type ResponseTransform } from './definition.ts';
import { evaluate, evaluateText, evaluateUrlText, type TemplateVariables, type UrlPart } from './evaluate.ts';
import { escapeUri } from './functions.ts';
import { type Template, TemplateError, type TemplateProblem, templateError } from './syntax.ts';

type HeaderList = readonly (readonly [name: string, value: string])[];

/** A request before a transform. */
export interface OriginalRequest {
  readonly method: string;
  /** With environment variables filled in; templates know it as `$base_url`. */
  readonly url: string;
  readonly headers: HeaderList;
  /** JSON value; numbers that would lose digits are NumberText (`parseExactJson`). Templates know it as `$body`. */
  readonly body: unknown;
  /** Absent for requests without a session. */
  readonly sessionVariables: Readonly<Record<string, string>> | undefined;
}

/** A request as it is sent. */
export interface TransformedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderList;
  /** Absent when the transform removes the body. */
  readonly body?: string;
}

/** A transform that could not be evaluated, with all problems in the form that API clients read. */
export class TransformFailure extends Error {
  readonly problems: readonly TemplateProblem[];

  constructor(problems: readonly TemplateProblem[]) {
    super(problems.map(({ message }) => message).join('; '));
    this.name = 'TransformFailure';
    this.problems = problems;
  }
}

/**
 * The request that a transform makes of another. Every template sees the original request.
 * @throws TransformFailure
 */
export function applyRequestTransform(
  transform: RequestTransform,
  request: OriginalRequest,
): TransformedRequest {
  const variables: TemplateVariables = {
    $body: request.body,
    $base_url: request.url,
    $session_variables: request.sessionVariables ?? null,
    $query_params: queryPairs(request.url),
  };
  const problems: TemplateProblem[] = [];
  const attempt = <Result>(make: () => Result, fallback: Result): Result => {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      problems.push(error.problem);
      return fallback;
    }
  };
  const url = attempt(() => transformedUrl(transform, request.url, variables), request.url);
  const body = attempt(() => transformedBody(transform, request.body, variables), undefined);
  const removed = new Set(transform.removeHeaders.map((name) => name.toLowerCase()));
  const headers = [
    ...request.headers.filter(([name]) => !removed.has(name.toLowerCase())),
    ...transform.addHeaders.map(
      ([name, value]) => [name, attempt(() => headerText(name, value, variables), '')] as const,
    ),
  ];
  if (problems.length > 0) throw new TransformFailure(problems);
  return {
    method: transform.method ?? request.method,
    url,
    headers,
    ...(body === undefined ? {} : { body }),
  };
}

function transformedUrl(
  { url, query }: RequestTransform,
  base: string,
  variables: TemplateVariables,
): string {
  const target = url === undefined ? base : checkedUrl(url, base, variables);
  if (query === undefined) return target;
  const text = 'root' in query ? evaluateUrlText(query, variables, escaped) : queryText(query, variables);
  const [beforeHash = '', ...hash] = target.split('#');
  const path = beforeHash.split('?', 1)[0]!;
  const whole = text === null || text === '' ? path : `${path}?${text.replace(/^\?/, '')}`;
  return [whole, ...hash].join('#');
}

function queryText(
  query: readonly (readonly [Template, Template | null])[],
  variables: TemplateVariables,
): string {
  return query
    .flatMap(([keyTemplate, valueTemplate]) => {
      const key = evaluateText(keyTemplate, variables);
      const value = valueTemplate === null ? undefined : evaluateText(valueTemplate, variables);
      if (key === null || value === null) return [];
      return value === undefined ? [escapeUri(key)] : [`${escapeUri(key)}=${escapeUri(value)}`];
    })
    .join('&');
}

function checkedUrl(template: Template, base: string, variables: TemplateVariables): string {
  const whole = { start: 0, end: template.text.length };
  const text = evaluateUrlText(template, variables, escaped) ?? 'null';
  const planned = evaluateUrlText(template, variables, () => 'x') ?? 'null';
  if (!URL.canParse(text) || !URL.canParse(planned)) {
    throw templateError('Type Error', `Invalid URL: ${JSON.stringify(text)}`, template.text, whole);
  }
  const url = new URL(text);
  if (!keepsPath(url.pathname, new URL(planned).pathname)) {
    throw templateError('Type Error', 'Invalid URL: data changes the path', template.text, whole);
  }
  // A text directly after $base_url could otherwise extend the name of the host.
  if (authorityOf(template) !== 'constant' && url.host !== new URL(base).host) {
    throw templateError('Type Error', 'Invalid URL: data changes the host', template.text, whole);
  }
  return text;
}

/** Data is one part of a path or query: none of its characters ends that part. */
const escaped: UrlPart = (text, isEscaped) => (isEscaped ? text : escapeUri(text));

/**
 * Whether a path has the segments that its author planned: data neither leaves one out, nor climbs to another one, also for servers that
 * take an escaped slash for a slash.
 * @param planned the path with a letter in place of all data
 */
function keepsPath(path: string, planned: string): boolean {
  const segments = path.split('/');
  const expected = planned.split('/');
  if (segments.length !== expected.length) return false;
  return segments.every((segment, index) => {
    if (segment === expected[index]) return true;
    return (
      segment !== '' &&
      !unescapeUri(segment)
        .split(/[/\\]/)
        .some((part) => part === '.' || part === '..')
    );
  });
}

function headerText(name: string, template: Template, variables: TemplateVariables): string {
  const text = evaluateText(template, variables) ?? 'null';
  const problem = headerProblem(name, text);
  if (problem === undefined) return text;
  const whole = { start: 0, end: template.text.length };
  throw templateError('Type Error', problem, template.text, whole);
}

function transformedBody(
  { body }: RequestTransform,
  original: unknown,
  variables: TemplateVariables,
): string | undefined {
  switch (body?.action) {
    case undefined:
      return jsonText(original);
    case 'remove':
      return undefined;
    case 'transform':
      return jsonText(evaluate(body.template, variables));
    case 'form':
      return body.fields
        .flatMap(([keyTemplate, valueTemplate]) => {
          const key = evaluateText(keyTemplate, variables);
          const value = evaluateText(valueTemplate, variables);
          return key === null || value === null ? [] : [`${escapeUri(key)}=${escapeUri(value)}`];
        })
        .join('&');
  }
}

/** Names and values of a URL's query; a name without `=` has null. */
function queryPairs(url: string): (readonly [string, string | null])[] {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? '';
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', ...value] = part.split('=');
      return [unescapeUri(name), value.length === 0 ? null : unescapeUri(value.join('='))] as const;
    });
}

function unescapeUri(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** Inputs of response templates besides `$body`, the answer. */
export interface ResponseContext {
  readonly status: number;
  readonly sessionVariables: Readonly<Record<string, string>> | undefined;
  /** The request as it was sent, when a request transform made it. */
  readonly request?: TransformedRequest;
}

/**
 * The JSON value that a transform makes of an answer; `body` is the parsed answer, null if it is not JSON.
 * @throws TransformFailure
 */
export function applyResponseTransform(
  transform: ResponseTransform,
  body: unknown,
  { status, sessionVariables, request }: ResponseContext,
): unknown {
  if (transform.body === undefined) return body;
  if (transform.body.action === 'remove') return null;
  const variables: TemplateVariables = {
    $body: body,
    $response: { status, body },
    $session_variables: sessionVariables ?? null,
    $request: request === undefined ? null : describeRequest(request),
  };
  try {
    return evaluate(transform.body.template, variables);
  } catch (error) {
    if (error instanceof TemplateError) throw new TransformFailure([error.problem]);
    throw error;
  }
}

function describeRequest({ method, url, body, headers }: TransformedRequest): unknown {
  return {
    method,
    url,
    body: body === undefined ? null : exactJsonOr(body, body),
    query_params: queryPairs(url),
    request_headers: headers,
  };
}
