/** Actions ready to be called: environment variables filled in, transforms parsed. Made once for each declared action. */
import type { CalledAction } from '../../core/action/plan.ts';
import type { ActionHeader } from '../../core/action/shapes.ts';
import { type Environment, type FilledTemplate, fillTemplate } from '../../core/environment-template.ts';
import {
  type RequestTransform,
  type ResponseTransform,
  readRequestTransform,
  readResponseTransform,
} from '../../core/template/definition.ts';
import { isRedacted } from '../message.ts';

/** A header with the text that logs and errors show instead of a secret value. */
export interface ShownHeader {
  readonly name: string;
  readonly value: string;
  readonly shown: string;
}

export interface PreparedAction {
  readonly shape: CalledAction;
  readonly url: string;
  /** As configured, in their order. */
  readonly headers: readonly ShownHeader[];
  readonly requestTransform: RequestTransform | undefined;
  readonly responseTransform: ResponseTransform | undefined;
  /** Environment variables without a value: the action cannot be called. */
  readonly missing: readonly string[];
}

export function prepareAction(shape: CalledAction, environment: Environment): PreparedAction {
  const url = fillTemplate(shape.handler, environment);
  const { headers, missing } = fillHeaders(shape.headers, environment);
  return {
    shape,
    url: url.text,
    headers,
    requestTransform: shape.requestTransform ? readRequestTransform(shape.requestTransform) : undefined,
    responseTransform: shape.responseTransform ? readResponseTransform(shape.responseTransform) : undefined,
    missing: [...new Set([...url.missing, ...missing])],
  };
}

/** The headers with environment variables filled in, and those that have no value. */
export function fillHeaders(
  headers: readonly ActionHeader[] = [],
  environment: Environment,
): { readonly headers: readonly ShownHeader[]; readonly missing: readonly string[] } {
  const filled = headers.map((header) => ({ header, ...fillHeader(header, environment) }));
  return {
    headers: filled.map(({ header, text }) => ({
      name: header.name,
      value: text,
      shown:
        'value' in header ? (isRedacted(header.name) ? '<redacted>' : header.value) : header.valueFromEnv,
    })),
    missing: filled.flatMap(({ missing }) => missing),
  };
}

function fillHeader(header: ActionHeader, environment: Environment): FilledTemplate {
  if ('value' in header) return fillTemplate(header.value, environment);
  const name = header.valueFromEnv;
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
  return { text: value ?? '', missing: value === undefined ? [name] : [] };
}
