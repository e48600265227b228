/** Splits answers of remote schemas into texts: values that need no change are never parsed. */
import { EngineError } from '../../core/errors.ts';
import { JsonScanner, MalformedJson } from '../../core/json/scanner.ts';
import { headerOf, type OutgoingResponse } from '../message.ts';

/** The top level of an answer, as texts; absent keys are undefined. */
export interface RemoteResponse {
  readonly data: string | undefined;
  /** Members of the data by key; undefined if it is not an object. */
  readonly members: ReadonlyMap<string, string> | undefined;
  readonly errors: string | undefined;
}

/** @throws MalformedJson for anything but one well-formed JSON object */
export function splitAnswer(text: string): RemoteResponse {
  const found: { data?: string; errors?: string } = {};
  let members: ReadonlyMap<string, string> | undefined;
  const scanner = new JsonScanner(text);
  scanner.eachMember((key) => {
    if (key !== 'data' && key !== 'errors') return scanner.skip();
    if (found[key] !== undefined) throw new MalformedJson(`the key ${key} occurs twice`, scanner.position);
    if (key === 'errors' || !scanner.atObject) {
      found[key] = scanner.slice();
      return;
    }
    const start = scanner.position;
    members = readMembers(scanner);
    found.data = text.slice(start, scanner.position);
  });
  scanner.expectEnd();
  return { data: found.data, members, errors: found.errors };
}

/**
 * What an answer is that cannot be read, as far as its head tells. Of the body nothing is shown but that it is a page: it may hold
 * anything.
 */
export function describeAnswer({ status, headers, body }: OutgoingResponse): string {
  if (status >= 300 && status < 400)
    return `it answered with status ${status}: redirects are not followed, so the address has to be the one that answers`;
  const type = headerOf({ headers }, 'content-type')?.split(';')[0]?.trim();
  const start = body.subarray(0, 200).toString('latin1').trimStart();
  const what =
    body.length === 0
      ? 'nothing'
      : start.startsWith('<')
        ? 'a page instead of JSON'
        : `${body.length} bytes${type === undefined || type === '' ? '' : ` of ${type}`}`;
  const hint =
    status === 200 && start.startsWith('<') ? '; is this the address of its GraphQL endpoint?' : '';
  return `it answered with status ${status} and ${what}${hint}`;
}

/** True if the answer has a list of errors that is not empty. */
export function hasResponseErrors({ errors }: RemoteResponse): boolean {
  return errors !== undefined && errors !== 'null' && !isEmptyList(errors);
}

export function isEmptyList(text: string): boolean {
  return text.startsWith('[') && text.slice(1, -1).trim() === '';
}

/** Members of an object by key. If a key occurs twice, the last member counts, as in JSON.parse. */
function readMembers(scanner: JsonScanner): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  scanner.eachMember((key) => {
    members.set(key, scanner.slice());
  });
  return members;
}

/** The value below the keys of a path; null if an object on the way is null. @throws EngineError */
export function below(text: string, path: readonly string[]): string {
  const [key, ...rest] = path;
  if (key === undefined || text === 'null') return text;
  if (!text.startsWith('{'))
    throw new EngineError(
      'unexpected',
      `unexpected non-object json value found while path not empty: ${path.join('.')}`,
    );
  const value = readMembers(new JsonScanner(text)).get(key);
  if (value === undefined) throw new EngineError('unexpected', `failed to lookup key '${key}' in response`);
  return below(value, rest);
}
