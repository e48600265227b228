/**
 * Why something outside this program failed, in words of this program. Libraries and the platform report it in sentences that name no place,
 * differ between their versions, or may hold an address; `test/docs/foreign-messages.test.ts` lists who may pass such a sentence on.
 */
import type { GraphQLError } from 'graphql';
import { jsonKind } from './json/json-value.ts';
import { JsonScanner, MalformedJson } from './json/scanner.ts';

/** Codes of the system that operators meet, in words. */
const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'this user has no permission',
  EPERM: 'this user has no permission',
  EBUSY: 'another program uses it',
  EDQUOT: 'the quota of the disk is used up',
  EEXIST: 'a file is in its place',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead in a circle',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'its name is too long',
  ENFILE: 'too many files are open',
  ENOENT: 'it does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is not a folder',
  EROFS: 'the file system is read-only',
};

/** Why a file or folder cannot be read or written: `it does not exist (ENOENT)`. */
export function fileProblem(error: unknown): string {
  const code = codeOf(error);
  if (code === undefined) return 'for a reason that the system does not name';
  const words = FILE_PROBLEMS[code];
  return words === undefined ? `the system reports ${code}` : `${words} (${code})`;
}

const CALL_PROBLEMS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate of the server has expired',
  CERT_NOT_YET_VALID: 'the certificate of the server is not valid yet',
  EAI_AGAIN: 'the host name cannot be looked up at the moment',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the server closed the connection before its answer was complete',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the host',
  ENOTFOUND: 'the host name is not known',
  EPIPE: 'the server closed the connection',
  EPROTO: 'the server does not speak TLS as it should',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS: is its address one of http?',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of the server is for another host name',
  ETIMEDOUT: 'the server did not answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'the server did not answer in time',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
  UND_ERR_SOCKET: 'the server closed the connection before its answer was complete',
};

/** Why a call has no answer, of the code that Node reports; never the address: `the connection was refused (ECONNREFUSED)`. */
export function callProblem(code: string | undefined): string {
  if (code === undefined) return 'the connection failed';
  return `${CALL_PROBLEMS[code] ?? patternProblem(code)} (${code})`;
}

function patternProblem(code: string): string {
  if (/CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code))
    return 'the certificate of the server is not trusted';
  if (/^ERR_SSL|^ERR_TLS/.test(code)) return 'the server does not speak TLS as it should';
  if (code.startsWith('HPE_')) return 'the answer is not HTTP';
  return 'the connection failed';
}

/** The code of an error, of its cause, or of the first of several addresses that were tried. */
export function codeOf(error: unknown): string | undefined {
  const { code, errors, cause } = (error ?? {}) as { code?: unknown; errors?: unknown; cause?: unknown };
  if (typeof code === 'string') return code;
  if (Array.isArray(errors) && errors.length > 0) return codeOf(errors[0]);
  return cause === undefined ? undefined : codeOf(cause);
}

/** Why a text is not JSON, and where: `unexpected "}" at line 1, column 9`. */
export function jsonProblem(text: string): string {
  if (text.trim() === '') return 'it is empty';
  try {
    const scanner = new JsonScanner(text);
    scanner.skip();
    scanner.expectEnd();
  } catch (error) {
    if (error instanceof MalformedJson) return `${error.what} at ${placeIn(text, error.position)}`;
    throw error;
  }
  throw new Error('the JSON parser and the scanner disagree');
}

/** Why a text is not GraphQL, and where: `expected Name, found the end at line 1, column 9`. */
export function graphqlProblem({
  message,
  locations,
}: Partial<GraphQLError> & Pick<GraphQLError, 'message'>): string {
  const [place] = locations ?? [];
  const sentence = message
    .replace(/^Syntax Error: /, '')
    .replace('<EOF>', 'the end')
    .replace(/\.$/, '');
  const what = /^[A-Z][a-z]/.test(sentence) ? sentence[0]!.toLowerCase() + sentence.slice(1) : sentence;
  return place ? `${what} at line ${place.line}, column ${place.column}` : what;
}

function placeIn(text: string, position: number): string {
  const lines = text.slice(0, position).split('\n');
  return `line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
}

/** An issue of the library that checks files against schemas. */
export interface SchemaIssue {
  readonly code: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
  readonly expected?: string;
  readonly values?: readonly unknown[];
  readonly minimum?: unknown;
}

/** What is wrong with a value that does not fit its schema: `allow.0.reason: expected a string, but found a number`. */
export function valueProblem(
  whole: unknown,
  issue: SchemaIssue,
  place = issue.path.map(String).join('.'),
): string {
  const value = issue.path.reduce<unknown>(
    (within, step) => (within as Record<PropertyKey, unknown> | undefined)?.[step],
    whole,
  );
  if (issue.code === 'unrecognized_keys')
    return `unknown key ${(issue.keys ?? []).map((key) => JSON.stringify(key)).join(', ')}${place && ` in ${place}`}`;
  if (value === undefined && place !== '') return `the key ${JSON.stringify(place)} is missing`;
  return `${place === '' ? 'the file' : place}: ${misfit(value, issue)}`;
}

function misfit(value: unknown, { code, message, expected, values, minimum }: SchemaIssue): string {
  // A message of the schema itself.
  if (!/^(Invalid|Too|Unrecognized) /.test(message)) return message;
  const found = typeof value === 'object' ? jsonKind(value).toLowerCase() : JSON.stringify(value);
  switch (code) {
    case 'invalid_type':
      return `expected ${TYPE_NAMES[expected ?? ''] ?? expected}, but found ${found}`;
    case 'invalid_value':
      return `expected ${(values ?? []).map((each) => JSON.stringify(each)).join(' or ')}, but found ${found}`;
    case 'invalid_union':
      return `${found} has none of the forms that are known here`;
    case 'too_small':
      if (value === '') return 'it is empty';
      return `expected at least ${String(minimum)}, but found ${found}`;
    default:
      return message;
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'a mapping',
  record: 'a mapping',
  string: 'a text',
};
