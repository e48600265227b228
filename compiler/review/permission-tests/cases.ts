/**
 * Declared cases: who asks what, and what is to come of it. A YAML file holds a list of them:
 *
 *   - name: A customer sees own tickets
 *     role: customer
 *     session: { X-Engine-User-Id: 4 }
 *     query: "{ ticket { id } }"
 *     expect: { data: { ticket: [{ id: 7 }] } }
 *
 * `expect` is one of `data` (exactly this), `rows` (how many rows the first root field has) and `error` (a code, or a part of
 * the message). `given` is SQL that runs before, for this case only.
 *
 *   - name: An agent is suggested a reply
 *     role: agent
 *     query: "{ suggest_reply(ticket_id: 7) { text } }"
 *     handlers: { suggest_reply: { receives: { input: { ticket_id: 7 } }, answers: { ticket_id: 7, text: Hello } } }
 *     expect: { data: { suggest_reply: { text: Hello } } }
 *
 * `handlers` stand in for the webhooks of actions: `receives` are parts of the body that each must get, `answers` is the body
 * that it sends back, with `status` 200 unless given. `first` is an operation that runs before: the call whose result the query reads.
 *
 *   - name: What a customer is offered
 *     role: customer
 *     types: { ticket: [id, subject], ticket_set_input: [status], ticket_aggregate: null }
 *
 * asks for the fields of types instead, in any order; null for a type that the role does not have.
 */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, isSeq, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { fileProblem, valueProblem } from '../../../runtime/core/reasons.ts';
import { NumberText } from '../../../runtime/core/types.ts';
import { keepDigits } from '../../phases/1-read/yaml-numbers.ts';
import { yamlProblem } from '../../yaml-problem.ts';

const scalar = z.union([z.string(), z.number(), z.instanceof(NumberText), z.boolean()]);

const asking = {
  name: z.string().min(1),
  role: z.string().min(1),
  /** Send the request as a trusted caller, so that backend-only permissions apply. */
  trusted: z.boolean().optional(),
};

const handler = z.strictObject({
  receives: z.record(z.string(), z.unknown()).optional(),
  status: z.int().min(200).max(599).default(200),
  answers: z.unknown(),
});

const request = z.strictObject({
  ...asking,
  session: z.record(z.string(), scalar).optional(),
  given: z.string().optional(),
  /** Source that `given` is for; the only one unless named. */
  source: z.string().optional(),
  query: z.string().min(1),
  variables: z.record(z.string(), z.unknown()).optional(),
  /** By action. */
  handlers: z.record(z.string(), handler).optional(),
  /** With the role and session of the case unless it names others. */
  first: z
    .strictObject({
      role: asking.role.optional(),
      session: z.record(z.string(), scalar).optional(),
      query: z.string().min(1),
      variables: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
  expect: z.union([
    z.strictObject({ data: z.unknown() }),
    z.strictObject({ rows: z.int().nonnegative() }),
    z.strictObject({ error: z.string().min(1) }),
  ]),
});

const schema = z.strictObject({
  ...asking,
  types: z.record(z.string().regex(/^\w+$/), z.array(z.string()).nullable()),
});

/** What is wrong with a case: a key that is missing, one that is unknown, or a value. */
function caseProblem(entry: unknown, issue: z.core.$ZodIssue): string {
  const place = issue.path.join('.');
  if (place === '' && issue.code !== 'unrecognized_keys')
    return 'a case is a mapping with role, query and expect.';
  const problem = valueProblem(entry, issue);
  if (issue.path[0] === 'expect' && !problem.endsWith(' is missing'))
    return 'expect is one of data, rows and error.';
  const isMissing = problem === 'the key "query" is missing';
  return `${problem}${isMissing ? '; it is the operation to run, such as "{ ticket { id } }"' : ''}.`;
}

interface Place {
  readonly file: string;
  readonly line: number;
}

export type StubHandler = z.infer<typeof handler>;
export type RequestCase = z.infer<typeof request> & Place;
export type SchemaCase = z.infer<typeof schema> & Place;
export type DeclaredCase = RequestCase | SchemaCase;

/** A file of cases cannot be read; the message says where and why. */
export class CasesError extends Error {
  override readonly name = 'CasesError';
}

/** Reads a file, or every YAML file of a folder. @throws CasesError */
export function readCases(path: string): DeclaredCase[] {
  return filesOf(path).flatMap(readFile);
}

function filesOf(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path];
    return readdirSync(path)
      .filter((file) => /\.ya?ml$/.test(file))
      .sort()
      .map((file) => join(path, file));
  } catch (error) {
    throw new CasesError(`The cases ${path} cannot be read: ${fileProblem(error)}.`);
  }
}

function readFile(file: string): DeclaredCase[] {
  const lines = new LineCounter();
  const document = parseDocument(readFileSync(file, 'utf8'), {
    version: '1.2',
    lineCounter: lines,
    prettyErrors: false,
  });
  const [problem] = document.errors;
  if (problem) throw new CasesError(`${file} is not YAML: ${yamlProblem(problem, lines)}.`);
  keepDigits(document);
  const value: unknown = document.toJS() ?? [];
  if (!Array.isArray(value)) throw new CasesError(`${file}: a list of cases is expected.`);
  const nodes = isSeq(document.contents) ? document.contents.items : [];
  return value.map((entry: unknown, index) => {
    const node = nodes[index];
    const line = isMap(node) && node.range ? lines.linePos(node.range[0]).line : 1;
    const isSchema = typeof entry === 'object' && entry !== null && 'types' in entry;
    const parsed = (isSchema ? schema : request).safeParse(entry);
    if (!parsed.success) {
      throw new CasesError(`${file}:${line}: ${caseProblem(entry, parsed.error.issues[0]!)}`);
    }
    return { ...parsed.data, file, line };
  });
}
