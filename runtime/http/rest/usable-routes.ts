/** The REST endpoints that a role can run, analysed for the documents that describe them. */
import { type DirectiveNode, type DocumentNode, Kind, visit } from 'graphql';
import { unlessRefused } from '../../core/errors.ts';
import type { Program } from '../../core/program/program.ts';
import { analyseOperation, type OperationAnalysis } from '../../core/request/analyse.ts';
import { chooseOperation, type Operation, parseDocument } from '../../core/request/document.ts';
import type { RestRoute } from '../../core/saved/saved.ts';

export interface OpenApiOptions {
  readonly role: string;
  /** Whether answers give numbers that JavaScript may not hold as strings. */
  readonly stringifyNumbers: boolean;
}

export interface UsableRoute {
  readonly route: RestRoute;
  readonly operation: Operation;
  readonly analysis: OperationAnalysis;
  /** Variables decide which fields the answer has; the analysis has all of them. */
  readonly isConditional: boolean;
  /** The path, with variables in braces. */
  readonly url: string;
}

/** The endpoints whose operation the role may run, in the order of their URLs. */
export function usableRoutes(routes: readonly RestRoute[], program: Program, role: string): UsableRoute[] {
  const roleSchema = program.roleSchema(role, false);
  return routes.flatMap((route) => {
    const { document, isConditional } = unconditional(parseDocument(route.operation.document));
    const operation = chooseOperation(document, undefined);
    const analysis = unlessRefused(() => analyseOperation(roleSchema, operation));
    return analysis ? [{ route, operation, analysis, isConditional, url: templateOf(route) }] : [];
  });
}

/** The document without `@include` and `@skip` that depend on a variable. */
function unconditional(given: DocumentNode): { document: DocumentNode; isConditional: boolean } {
  let isConditional = false;
  const document = visit(given, {
    [Kind.DIRECTIVE]: ({ name, arguments: args }: DirectiveNode) => {
      const depends = args?.some(({ value }) => value.kind === Kind.VARIABLE);
      if (!depends || (name.value !== 'include' && name.value !== 'skip')) return undefined;
      isConditional = true;
      return null;
    },
  });
  return { document, isConditional };
}

function templateOf({ url }: RestRoute): string {
  const segments = url
    .split('/')
    .map((part) => (part.startsWith(':') ? `{${part.slice(1)}}` : encodeURIComponent(part)));
  return `/api/rest/${segments.join('/')}`;
}
