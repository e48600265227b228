import { fillTemplate } from '../../core/environment-template.ts';
import { EngineError } from '../../core/errors.ts';
import { exactJsonOr } from '../../core/json/exact-json.ts';
import { applyRequestTransform, type OriginalRequest, TransformFailure } from '../../core/template/apply.ts';
import {
  readRequestTransform,
  readResponseTransform,
  TransformDefinitionError,
} from '../../core/template/definition.ts';
import { jsonText } from '../../core/types.ts';
import type { TypeOf } from '../../metadata/codec.ts';
import { choose, list, object, optional, requiredList } from '../../metadata/combinators.ts';
import { fromEnvironment } from '../../metadata/kinds/shared.ts';
import type { FromEnvironment } from '../../metadata/metadata.ts';
import { jsonObject, text } from '../../metadata/values.ts';
import { JsonText } from '../request/answer.ts';
import { anyJson } from '../request/data-operation.ts';
import { METADATA, operation } from '../request/operation.ts';

const transformArguments = object({
  webhook_url: choose<string | FromEnvironment>((input) =>
    typeof input === 'string' ? text : (fromEnvironment as never),
  ),
  request_headers: list(requiredList(text)),
  body: anyJson,
  env: optional(jsonObject),
  request_transform: jsonObject,
  response_transform: optional(jsonObject),
  session_variables: optional(jsonObject),
});

type Arguments = TypeOf<typeof transformArguments>;

export default operation({
  name: 'test_webhook_transform',
  spelling: 'bare',
  endpoints: METADATA,
  documentation:
    'The request that a transform makes of a body and an address. Nothing is sent; environment variables come from `env` only.',
  arguments: transformArguments,
  changesMetadata: false,
  run: (args) => {
    const { webhook_url, env = {}, body, session_variables, request_headers } = args;
    const url = address(webhook_url, env as Readonly<Record<string, string>>);
    const headers = request_headers.map(([name = '', value = '']) => [name, value] as const);
    const sessionVariables = session_variables as Readonly<Record<string, string>> | undefined;
    const request = transformed(args, { method: 'POST', url, headers, body, sessionVariables });
    const answer = {
      webhook_url: request.url,
      method: request.method,
      headers: request.headers.map(([name, value]) => [name.toLowerCase(), value]),
    };
    // The body keeps the digits of its numbers; a form is a text.
    const bodyText = request.body === undefined ? 'null' : readableBody(request.body);
    return new JsonText(`${JSON.stringify(answer).slice(0, -1)},"body":${bodyText}}`);
  },
});

function transformed({ request_transform, response_transform }: Arguments, request: OriginalRequest) {
  try {
    if (response_transform !== undefined) readResponseTransform(response_transform);
    return applyRequestTransform(readRequestTransform(request_transform), request);
  } catch (error) {
    if (!(error instanceof TransformDefinitionError || error instanceof TransformFailure)) throw error;
    throw new EngineError('validation-failed', 'request transform validation failed', {
      internal: error.problems,
    });
  }
}

function address(given: string | FromEnvironment, env: Readonly<Record<string, string>>): string {
  const template = typeof given === 'string' ? given : `{{${given.from_env}}}`;
  const { text: url, missing } = fillTemplate(template, env);
  const [name] = missing;
  if (name !== undefined) {
    throw new EngineError(
      'not-found',
      `Missing Env Var: ${name}. For security reasons when testing request options real environment variable values are not accessible. Please mock a value for ${name}.`,
    );
  }
  if (!URL.canParse(url)) throw new EngineError('parse-failed', `Invalid URL: ${JSON.stringify(url)}`);
  return url;
}

function readableBody(body: string): string {
  return exactJsonOr(body) === undefined ? jsonText(body) : body;
}
