/** The OpenAPI document of all REST endpoints, as one role sees them; generators of clients take it. */
import { createHash } from 'node:crypto';
import { Kind } from 'graphql';
import type { Program } from '../../core/program/program.ts';
import type { RestMethod, RestRoute } from '../../core/saved/saved.ts';
import { namedType } from '../../core/schema/types.ts';
import { jsonText } from '../../core/types.ts';
import {
  createOpenapiSchemaWriter,
  type OpenapiSchema,
  type OpenapiSchemaWriter,
} from './openapi-schemas.ts';
import { type OpenApiOptions, type UsableRoute, usableRoutes } from './usable-routes.ts';

const WITH_BODY: ReadonlySet<RestMethod> = new Set(['POST', 'PUT', 'PATCH']);

/** A GraphQL name has no dot. */
const ERROR = 'rest.Error';

const FAILURES: Readonly<Record<number, string>> = {
  400: 'A value does not fit, a variable is missing or unknown, or the operation is refused',
  401: 'The credentials are missing or wrong',
  413: 'The body is too large',
  415: 'The body is neither a JSON object nor a form',
  429: 'The role sends too many requests',
  500: 'The database or a service failed',
  503: 'The server is stopping or overloaded',
};

/** Describes the endpoints whose operation the role may run. */
export function openApiDocument(
  routes: readonly RestRoute[],
  program: Program,
  { role, stringifyNumbers }: OpenApiOptions,
): object {
  const schemas = createOpenapiSchemaWriter(stringifyNumbers);
  const paths = new Map<string, PathItem>();
  for (const usable of usableRoutes(routes, program, role)) {
    // Paths that differ in the names of variables only are one path.
    const shape = usable.url.replace(/\{[^}]*\}/g, '{}');
    const path = paths.get(shape) ?? { url: usable.url, names: variablesOf(usable.route), operations: {} };
    paths.set(shape, path);
    for (const method of usable.route.methods)
      path.operations[method.toLowerCase()] = describe(usable, method, path.names, schemas);
  }
  return {
    openapi: '3.0.3',
    info: {
      title: 'REST endpoints',
      description: 'Saved operations under URLs of their own. Made from the metadata of the server.',
      version: '1',
    },
    paths: Object.fromEntries([...paths.values()].map(({ url, operations }) => [url, operations])),
    security: [{ adminSecret: [] }, { token: [] }, {}],
    components: {
      schemas: { ...schemas.components, [ERROR]: errorSchema },
      responses: Object.fromEntries(
        Object.entries(FAILURES).map(([status, description]) => [
          `rest.${status}`,
          { description, headers: requestId, content: json({ $ref: `#/components/schemas/${ERROR}` }) },
        ]),
      ),
      securitySchemes: {
        adminSecret: {
          type: 'apiKey',
          in: 'header',
          name: program.vocabulary.fromCanonical('x-engine-admin-secret'),
        },
        token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      },
    },
  };
}

interface PathItem {
  readonly url: string;
  /** Its variables, in order. */
  readonly names: readonly string[];
  readonly operations: Record<string, OpenapiSchema>;
}

const errorSchema: OpenapiSchema = {
  type: 'object',
  required: ['path', 'error', 'code'],
  properties: {
    path: { type: 'string', description: 'Where in the operation, "$" for all of it' },
    error: { type: 'string', description: 'What is wrong' },
    code: { type: 'string' },
    internal: { description: 'Details, for those who may see them' },
  },
};

const requestId: OpenapiSchema = { 'x-request-id': { schema: { type: 'string' } } };

function describe(
  { route, operation, analysis, isConditional }: UsableRoute,
  method: RestMethod,
  namesInPath: readonly string[],
  schemas: OpenapiSchemaWriter,
): OpenapiSchema {
  const own = variablesOf(route);
  const variables = [...operation.variables.values()].map(({ name, type, defaultValue }) => {
    const place = analysis.used.get(name);
    return {
      name,
      type,
      named: place && namedType(place),
      required: type.kind === Kind.NON_NULL_TYPE && defaultValue === undefined,
      value: route.operation.variables?.[name]?.default,
    };
  });
  type Variable = (typeof variables)[number];
  const text = ({ type, named, value }: Variable): OpenapiSchema => {
    const schema = schemas.text(type, named);
    const isJson = schema.type === 'string' && typeof value === 'object';
    return schemas.withDefault(schema, isJson && value !== null ? jsonText(value) : (value ?? undefined));
  };
  const inPath = own.map((name, index) => ({
    in: 'path',
    name: namesInPath[index]!,
    required: true,
    schema: schemas.text(...typeOf(variables.find((each) => each.name === name)!)),
  }));
  const elsewhere = variables.filter(({ name }) => !own.includes(name));
  const hasBody = WITH_BODY.has(method) && elsewhere.length > 0;
  const inQuery = WITH_BODY.has(method)
    ? []
    : elsewhere.map((variable) => ({
        in: 'query',
        name: variable.name,
        required: variable.required,
        schema: text(variable),
      }));
  const required = elsewhere.filter((each) => each.required).map(({ name }) => name);
  const { name, comment, operation: saved } = route;
  return {
    operationId: operationId(method, name),
    summary: name,
    description: `${comment === undefined ? '' : `${comment}\n\n`}\`\`\`graphql\n${saved.document}\n\`\`\``,
    ...(inPath.length + inQuery.length > 0 && { parameters: [...inPath, ...inQuery] }),
    ...(hasBody && {
      requestBody: {
        description: 'Variables by name; they may be given in the query string as well',
        required: required.length > 0,
        content: json({
          type: 'object',
          properties: Object.fromEntries(
            elsewhere.map((variable) => [
              variable.name,
              schemas.withDefault(schemas.variable(...typeOf(variable)), variable.value),
            ]),
          ),
          ...(required.length > 0 && { required }),
        }),
      },
    }),
    responses: {
      200: {
        description: 'The answer of the operation',
        headers: requestId,
        content: json(schemas.answer(analysis.selection, isConditional)),
      },
      ...Object.fromEntries(
        Object.keys(FAILURES)
          .filter((status) => hasBody || (status !== '413' && status !== '415'))
          .map((status) => [status, { $ref: `#/components/responses/rest.${status}` }]),
      ),
    },
  };
}

function typeOf<Type, Named>({ type, named }: { type: Type; named: Named }): [Type, Named] {
  return [type, named];
}

function variablesOf({ url }: RestRoute): string[] {
  return url.split('/').flatMap((part) => (part.startsWith(':') ? [part.slice(1)] : []));
}

/** Stays the same whatever else there is. A name that is no identifier is told from those that look like it by a hash. */
function operationId(method: RestMethod, name: string): string {
  const plain = name.replace(/\W+/g, '_');
  const hash = plain === name ? '' : `_${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
  return `${method.toLowerCase()}_${plain}${hash}`;
}

function json(schema: OpenapiSchema): OpenapiSchema {
  return { 'application/json': { schema } };
}
