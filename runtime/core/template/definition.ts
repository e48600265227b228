/**
 * Transforms as the metadata writes them (`request_transform`, `response_transform`), read once into parsed templates.
 */
import { isObject } from '../json/json.ts';
import { checkTemplate, type Shapes } from './check.ts';
import { parseTemplate, parseTextTemplate } from './parse.ts';
import { type Expression, type Template, TemplateError, type TemplateProblem } from './syntax.ts';

type BodyTransform =
  | { readonly action: 'remove' }
  | { readonly action: 'transform'; readonly template: Template }
  | { readonly action: 'form'; readonly fields: readonly (readonly [key: Template, value: Template])[] };

export interface RequestTransform {
  readonly method?: string;
  readonly url?: Template;
  readonly body?: BodyTransform;
  /** The whole query string, or its keys and values; a value of null is a key without `=`. */
  readonly query?: Template | readonly (readonly [key: Template, value: Template | null])[];
  readonly removeHeaders: readonly string[];
  readonly addHeaders: readonly (readonly [name: string, value: Template])[];
}

export interface ResponseTransform {
  readonly body?: Exclude<BodyTransform, { action: 'form' }>;
}

/** A problem of a transform, with its place below it, such as `body.template`. */
export interface TransformProblem extends TemplateProblem {
  readonly at: string;
}

/** Thrown when a definition cannot be used; `problems` is what API clients see as `internal`. */
export class TransformDefinitionError extends Error {
  readonly problems: readonly TransformProblem[];

  constructor(problems: readonly TransformProblem[]) {
    super(problems.map(({ at, message }) => `${at}: ${message}`).join('; '));
    this.name = 'TransformDefinitionError';
    this.problems = problems;
  }
}

const REQUEST_KEYS = [
  'version',
  'template_engine',
  'method',
  'url',
  'body',
  'query_params',
  'request_headers',
  'content_type',
];
const RESPONSE_KEYS = ['version', 'template_engine', 'body'];

/** @throws TransformDefinitionError with every problem that is found */
export function readRequestTransform(definition: unknown): RequestTransform {
  const reader = new Reader();
  const given = reader.object(definition, '', REQUEST_KEYS);
  const version = reader.version(given);
  const body = reader.body(given.body, version);
  const headers = reader.object(given.request_headers ?? {}, 'request_headers', [
    'add_headers',
    'remove_headers',
  ]);
  const added = reader.object(headers.add_headers ?? {}, 'request_headers.add_headers');
  const transform: RequestTransform = {
    ...optional('method', reader.optionalText(given.method, 'method')?.toUpperCase()),
    ...optional('url', reader.textTemplate(given.url, 'url')),
    ...optional('body', body),
    ...optional('query', reader.query(given.query_params)),
    removeHeaders: reader.texts(headers.remove_headers ?? [], 'request_headers.remove_headers'),
    addHeaders: Object.entries(added).flatMap(([name, value]) => {
      const template = reader.textTemplate(value, `request_headers.add_headers.${name}`);
      return template === undefined ? [] : [[name, template] as const];
    }),
  };
  if (transform.url !== undefined && authorityOf(transform.url) === 'variable') {
    reader.problem(
      'url',
      'Scheme and host must be constant, or the whole of $base_url: data could choose who receives the request.',
    );
  }
  if (transform.method !== undefined && !/^[A-Z]+$/.test(transform.method)) {
    reader.problem('method', 'A method consists of letters.');
  }
  reader.finish();
  return transform;
}

/** @throws TransformDefinitionError with every problem that is found */
export function readResponseTransform(definition: unknown): ResponseTransform {
  const reader = new Reader();
  const given = reader.object(definition, '', RESPONSE_KEYS);
  const body = reader.body(given.body, reader.version(given));
  if (body?.action === 'form') reader.problem('body', 'A response is JSON; it cannot be form-encoded.');
  reader.finish();
  return optional('body', body as ResponseTransform['body']);
}

/**
 * Whether a transform makes a form that does not say so: calls have the content type of JSON until their headers are transformed, and
 * an added header goes out beside another of its name.
 */
export function isUnmarkedForm({ body, removeHeaders, addHeaders }: RequestTransform): boolean {
  const isType = (name: string) => name.toLowerCase() === 'content-type';
  const marks = removeHeaders.some(isType) && addHeaders.some(([name]) => isType(name));
  return body?.action === 'form' && !marks;
}

/** Lookups of a transform that can never succeed with variables of these shapes. */
export function checkTransform(
  transform: RequestTransform | ResponseTransform,
  shapes: Shapes,
): readonly TransformProblem[] {
  return templatesOf(transform).flatMap(([at, template]) =>
    checkTemplate(template, shapes).map((problem) => ({ at, ...problem })),
  );
}

/** Every template with its place. */
function templatesOf(transform: RequestTransform | ResponseTransform): (readonly [string, Template])[] {
  const { body, url, query, addHeaders = [] } = transform as Partial<RequestTransform>;
  const found: (readonly [string, Template])[] = addHeaders.map(
    ([name, value]) => [`request_headers.add_headers.${name}`, value] as const,
  );
  if (url !== undefined) found.push(['url', url]);
  if (query !== undefined && 'root' in query) found.push(['query_params', query]);
  else {
    for (const [key, value] of query ?? []) {
      found.push(['query_params', key]);
      if (value !== null) found.push(['query_params', value]);
    }
  }
  if (body?.action === 'transform') found.push(['body.template', body.template]);
  if (body?.action === 'form') {
    for (const pair of body.fields) for (const template of pair) found.push(['body.form_template', template]);
  }
  return found;
}

/**
 * Who decides the host of a URL template: `base` when it begins with the whole of `$base_url`, `constant` when scheme
 * and authority are written out, `variable` when data reaches them.
 */
export function authorityOf({ root }: Template): 'base' | 'constant' | 'variable' {
  const [first = ''] = root.kind === 'text' ? root.parts : [root];
  if (typeof first !== 'string') return isBaseUrl(first) ? 'base' : 'variable';
  const isWhole = root.kind === 'text' && root.parts.length === 1;
  const written = isWhole ? /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+/i : /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+[/?#]/i;
  return written.test(first) ? 'constant' : 'variable';
}

function isBaseUrl(expression: Expression): boolean {
  return expression.kind === 'variable' && expression.name === '$base_url';
}

class Reader {
  readonly #problems: TransformProblem[] = [];

  problem(at: string, message: string): void {
    const source_position = { start_line: 1, start_column: 1, end_line: 1, end_column: 1 };
    this.#problems.push({ at, error_code: 'Parse Error', message, source_position });
  }

  finish(): void {
    if (this.#problems.length > 0) throw new TransformDefinitionError(this.#problems);
  }

  object(value: unknown, at: string, keys?: readonly string[]): Readonly<Record<string, unknown>> {
    if (!isObject(value)) {
      this.problem(at, 'An object is expected.');
      return {};
    }
    for (const key of Object.keys(value)) {
      if (keys !== undefined && !keys.includes(key)) this.problem(at, `Unexpected key "${key}".`);
    }
    return value;
  }

  /** Of the definition, 1 by default. Refuses engines other than Kriti. */
  version({ version = 1, template_engine = 'Kriti' }: Readonly<Record<string, unknown>>): 1 | 2 {
    if (template_engine !== null && template_engine !== 'Kriti') {
      this.problem('template_engine', `expected Kriti, encountered ${JSON.stringify(template_engine)}`);
    }
    const given = version === null ? 1 : Number(version);
    if (given === 1 || given === 2) return given;
    this.problem('version', `expected 1 or 2, encountered ${JSON.stringify(version)}`);
    return 2;
  }

  optionalText(value: unknown, at: string): string | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string') return value;
    this.problem(at, 'A string is expected.');
    return undefined;
  }

  texts(value: unknown, at: string): readonly string[] {
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    this.problem(at, 'A list of strings is expected.');
    return [];
  }

  textTemplate(value: unknown, at: string): Template | undefined {
    return this.#parse(value, at, parseTextTemplate);
  }

  body(value: unknown, version: 1 | 2): BodyTransform | undefined {
    if (value === undefined || value === null) return undefined;
    if (version === 1 || typeof value === 'string') return this.#template(value, 'body');
    const given = this.object(value, 'body', ['action', 'template', 'form_template']);
    switch (given.action) {
      case 'remove':
        return { action: 'remove' };
      case 'transform':
        return this.#template(given.template ?? {}, 'body.template');
      case 'x_www_form_urlencoded':
        return { action: 'form', fields: this.#form(given.form_template) };
      default:
        this.problem(
          'body.action',
          `expected remove, transform or x_www_form_urlencoded, encountered ${JSON.stringify(given.action)}`,
        );
        return undefined;
    }
  }

  query(value: unknown): RequestTransform['query'] {
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string') return this.textTemplate(value, 'query_params');
    return Object.entries(this.object(value, 'query_params')).flatMap(([key, text]) => {
      const name = this.textTemplate(key, 'query_params');
      const template = this.textTemplate(text, `query_params.${key}`);
      return name === undefined ? [] : [[name, template ?? null] as const];
    });
  }

  #template(value: unknown, at: string): BodyTransform | undefined {
    const template = this.#parse(value, at, parseTemplate);
    return template === undefined ? undefined : { action: 'transform', template };
  }

  #form(value: unknown): (readonly [Template, Template])[] {
    return Object.entries(this.object(value, 'body.form_template')).flatMap(([key, text]) => {
      const name = this.textTemplate(key, 'body.form_template');
      const template = this.textTemplate(text, `body.form_template.${key}`);
      return name === undefined || template === undefined ? [] : [[name, template] as const];
    });
  }

  #parse(value: unknown, at: string, parse: (text: string) => Template): Template | undefined {
    const text = this.optionalText(value, at);
    if (text === undefined) return undefined;
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      this.#problems.push({ at, ...error.problem });
      return undefined;
    }
  }
}

function optional<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { readonly [Name in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [Name in Key]?: Value };
}
