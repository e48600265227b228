/** Compares REST endpoints, and the documents of saved operations. */

import { parseDocument } from '../../../runtime/core/request/document.ts';
import { comparableDocument } from '../../../runtime/core/saved/comparable.ts';
import type { SavedOperation } from '../../../runtime/core/saved/saved.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import type { Finding, Verdict } from './finding.ts';

/**
 * Neither grants a role what it could not do with a document of its own, unless the allow-list admits it, which is compared
 * beside this. But opening a link is enough to run a mutation whose endpoint answers GET.
 */
export function endpointFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const finding = (verdict: Verdict, text: string): Finding => ({ verdict, subject: 'operations', text });
  const [before, after] = [base, head].map(endpointsOf) as [Endpoints, Endpoints];
  const [old, next] = [base, head].map(documentsOf) as [Documents, Documents];
  return [
    ...[...after].flatMap(([endpoint, { method, operation }]) => {
      const was = before.get(endpoint)?.operation;
      if (was && nameOf(was) === nameOf(operation) && was.kind === operation.kind) return [];
      const isRisky = operation.kind === 'mutation' && method === 'GET';
      const text = `${endpoint} ${was ? 'now ' : 'is new: it '}runs the ${operation.kind} ${nameOf(operation)}`;
      return [finding(isRisky ? 'undecidable' : 'not wider', text)];
    }),
    ...[...before].flatMap(([endpoint, { operation }]) =>
      after.has(endpoint) ? [] : [finding('narrower', `${endpoint} no longer runs ${nameOf(operation)}`)],
    ),
    ...[...next].flatMap(([name, document]) => {
      const was = old.get(name);
      return was === undefined || was === document
        ? []
        : [finding('not wider', `the saved operation ${name} is another document`)];
    }),
  ];
}

/** By method and address. */
type Endpoints = ReadonlyMap<string, { readonly method: string; readonly operation: SavedOperation }>;
/** Name → document, printed evenly. */
type Documents = ReadonlyMap<string, string>;

function nameOf({ collection, name }: SavedOperation): string {
  return `${collection}.${name}`;
}

function endpointsOf({ generated }: GeneratedCode): Endpoints {
  return new Map(
    (generated.saved?.routes ?? []).flatMap(({ methods, url, operation }) =>
      methods.map((method) => [`${method} ${url}`, { method, operation }] as const),
    ),
  );
}

function documentsOf({ generated }: GeneratedCode): Documents {
  return new Map(
    (generated.saved?.operations ?? []).map((operation) => [
      nameOf(operation),
      comparableDocument(parseDocument(operation.document)),
    ]),
  );
}
