/**
 * Syntax tree of the template language: JSON with expressions in double braces, as a value of its own or inside a string.
 */

/** Offsets into the template's text, end exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

export type BinaryOperator = '??' | '||' | '&&' | 'in' | '==' | '!=' | '<' | '>' | '<=' | '>=';

export type Expression = { readonly span: TextSpan } & (
  | { readonly kind: 'literal'; readonly value: unknown }
  /** A string; parts that are no text are rendered into it. */
  | { readonly kind: 'text'; readonly parts: readonly (string | Expression)[] }
  | { readonly kind: 'array'; readonly items: readonly Expression[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [key: string, value: Expression])[] }
  | { readonly kind: 'variable'; readonly name: string }
  | {
      readonly kind: 'field';
      readonly target: Expression;
      readonly key: Expression;
      /** `?.`: null instead of an error when there is no such field. */
      readonly optional: boolean;
    }
  | { readonly kind: 'call'; readonly name: string; readonly argument: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'if';
      readonly condition: Expression;
      readonly then: Expression;
      readonly else: Expression;
    }
  | {
      readonly kind: 'range';
      /** Name of the position; absent when written as `_`. */
      readonly index?: string;
      readonly item: string;
      readonly list: Expression;
      readonly body: Expression;
      /** Inside a string the bodies are joined; elsewhere they are the items of an array. */
      readonly isText: boolean;
    }
);

/** A parsed template with its text, which errors point into. */
export interface Template {
  readonly text: string;
  readonly root: Expression;
}

/** An error of a template or of its evaluation, in the form for API clients. */
export interface TemplateProblem {
  readonly error_code:
    | 'Parse Error'
    | 'Attribute Error'
    | 'Type Error'
    | 'Range Error'
    | 'Function Error'
    | 'Evaluation Error';
  readonly message: string;
  readonly source_position: SourcePosition;
}

/** Lines and columns count from 1; the end column is exclusive. */
export interface SourcePosition {
  readonly start_line: number;
  readonly start_column: number;
  readonly end_line: number;
  readonly end_column: number;
}

/** Thrown by the parser and by evaluations. */
export class TemplateError extends Error {
  readonly problem: TemplateProblem;

  constructor(problem: TemplateProblem) {
    super(problem.message);
    this.name = 'TemplateError';
    this.problem = problem;
  }
}

export function templateError(
  code: TemplateProblem['error_code'],
  message: string,
  text: string,
  span: TextSpan,
): TemplateError {
  return new TemplateError({ error_code: code, message, source_position: sourcePosition(text, span) });
}

export function sourcePosition(text: string, span: TextSpan): SourcePosition {
  const [start_line, start_column] = lineAndColumn(text, span.start);
  const [end_line, end_column] = lineAndColumn(text, span.end);
  return { start_line, start_column, end_line, end_column };
}

function lineAndColumn(text: string, offset: number): [line: number, column: number] {
  const before = text.slice(0, offset);
  const lastBreak = before.lastIndexOf('\n');
  return [before.split('\n').length, before.length - lastBreak];
}
