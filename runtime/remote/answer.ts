/** Splits answers of remote schemas into texts: values that need no change are never parsed. */
import { EngineError } from '../core/errors.ts';
import { JsonScanner, MalformedJson } from '../core/json/scanner.ts';

/** The top level of an answer, as texts; absent keys are undefined. */
export interface RemoteAnswer {
  readonly data: string | undefined;
  readonly errors: string | undefined;
}

/** @throws MalformedJson for anything but one well-formed JSON object */
export function splitAnswer(text: string): RemoteAnswer {
  const found: { data?: string; errors?: string } = {};
  const scanner = new JsonScanner(text);
  scanner.eachMember((key) => {
    if (key !== 'data' && key !== 'errors') scanner.skip();
    else if (found[key] === undefined) found[key] = scanner.slice();
    else throw new MalformedJson(`the key ${key} occurs twice`, scanner.position);
  });
  scanner.expectEnd();
  return { data: found.data, errors: found.errors };
}

/** True if the answer has a list of errors that is not empty. */
export function hasErrors({ errors }: RemoteAnswer): boolean {
  return errors !== undefined && errors !== 'null' && !isEmptyList(errors);
}

export function isEmptyList(text: string): boolean {
  return text.startsWith('[') && text.slice(1, -1).trim() === '';
}

/** Members of an object by key. If a key occurs twice, the last member counts, as in JSON.parse. */
export function membersOf(text: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  const scanner = new JsonScanner(text);
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
  const value = membersOf(text).get(key);
  if (value === undefined) throw new EngineError('unexpected', `failed to lookup key '${key}' in response`);
  return below(value, rest);
}
