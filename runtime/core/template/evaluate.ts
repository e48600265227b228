/** Evaluates templates. Pure: the same template and variables give the same value. */
import { isObject } from '../json/json.ts';
import { callFunction, FunctionFailure } from './functions.ts';
import { type Expression, type Template, type TemplateProblem, templateError } from './syntax.ts';
import { compareValues, interpolated, isNumber, kindOf, makeObject, ownField } from './values.ts';

/** Variables by name, with their dollar: `$body`, `$base_url` … */
export type TemplateVariables = Readonly<Record<string, unknown>>;

/** Maximum steps of one evaluation; nested ranges over long lists would otherwise fill the memory. */
const MAX_STEPS = 5_000_000;

/** The rest of a chain of lookups after an optional one found nothing. */
const MISSING = Symbol('missing');

/**
 * The JSON value that a template renders. Numbers keep their digits.
 * @throws TemplateError
 */
export function evaluate(template: Template, variables: TemplateVariables): unknown {
  return new Evaluation(template, variables).whole(template.root);
}

/**
 * The text that a template of `parseTextTemplate` renders; null when it says to leave the thing out: a lone expression
 * that is null, or the word `null`. A string of the data that happens to be "null" stays a text.
 * @throws TemplateError
 */
export function evaluateText(template: Template, variables: TemplateVariables): string | null {
  const { root } = template;
  const evaluation = new Evaluation(template, variables);
  const [only, ...others] = root.kind === 'text' ? root.parts : [root];
  const isExpression = typeof only === 'object' && only.kind !== 'if' && only.kind !== 'range';
  if (isExpression && others.length === 0) {
    const value = evaluation.whole(only);
    return value === null ? null : evaluation.render(value, only);
  }
  const text = evaluation.whole(root) as string;
  return text === 'null' ? null : text;
}

/** Makes the part of a URL that a text of the data becomes. @param isEscaped the template has escaped it */
export type UrlPart = (text: string, isEscaped: boolean) => string;

/**
 * Like `evaluateText`, for a template of a URL or of its query. What its author wrote stays as it is: texts, `$base_url`, and the branches, bodies,
 * alternatives and concatenations of these. Everything else is data, which `part` makes a part of the URL.
 * @throws TemplateError
 */
export function evaluateUrlText(
  template: Template,
  variables: TemplateVariables,
  part: UrlPart,
): string | null {
  if (evaluateText(template, variables) === null) return null;
  return new Evaluation(template, variables, part).whole(template.root) as string;
}

class Evaluation {
  readonly #template: Template;
  readonly #scope: Map<string, unknown>;
  readonly #sessionVariables: TemplateVariables | undefined;
  readonly #urlPart: UrlPart | undefined;
  #steps = 0;

  constructor(template: Template, variables: TemplateVariables, urlPart?: UrlPart) {
    this.#template = template;
    this.#urlPart = urlPart;
    this.#scope = new Map(Object.entries(variables));
    const session = ownField(variables, '$session_variables');
    this.#sessionVariables = isObject(session) ? session : undefined;
  }

  /** Value of the whole template or of its only part. */
  whole(expression: Expression): unknown {
    try {
      return this.#urlPart ? this.#url(expression, this.#urlPart) : this.value(expression);
    } catch (error) {
      // A chain of thousands of operators or lookups; the parser bounds every other kind of nesting.
      if (!(error instanceof RangeError)) throw error;
      return this.#fail('Evaluation Error', 'The template is nested too deeply.', expression);
    }
  }

  value(expression: Expression): unknown {
    const value = this.#evaluate(expression);
    return value === MISSING ? null : value;
  }

  /** Text of a value inside a string. */
  render(value: unknown, expression: Expression): string {
    const text = interpolated(value);
    if (text === undefined) {
      this.#fail('Type Error', `Cannot interpolate type: '${kindOf(value)}'.`, expression);
    }
    return text;
  }

  #evaluate(expression: Expression): unknown {
    this.#steps += 1;
    if (this.#steps > MAX_STEPS) {
      this.#fail('Evaluation Error', 'The evaluation takes too many steps.', expression);
    }
    switch (expression.kind) {
      case 'literal':
        return expression.value;
      case 'text':
        return expression.parts
          .map((part) => (typeof part === 'string' ? part : this.render(this.value(part), part)))
          .join('');
      case 'array':
        return expression.items.map((item) => this.value(item));
      case 'object':
        return makeObject(expression.entries.map(([key, value]) => [key, this.value(value)] as const));
      case 'variable':
        if (this.#scope.has(expression.name)) return this.#scope.get(expression.name);
        return this.#fail('Attribute Error', `Unbound variable '${expression.name}'.`, expression);
      case 'field':
        return this.#field(expression);
      case 'call':
        return this.#call(expression);
      case 'binary':
        return this.#binary(expression);
      case 'if':
        return this.value(this.#condition(expression.condition) ? expression.then : expression.else);
      case 'range':
        return this.#range(expression, (body) => this.value(body));
    }
  }

  /** The text of an expression in a URL. */
  #url(expression: Expression, part: UrlPart): string {
    const inner = (each: Expression) => this.#url(each, part);
    switch (expression.kind) {
      case 'text':
        return expression.parts.map((each) => (typeof each === 'string' ? each : inner(each))).join('');
      case 'literal':
        return this.render(expression.value, expression);
      case 'if':
        return inner(this.#condition(expression.condition) ? expression.then : expression.else);
      case 'range':
        if (expression.isText) return this.#range(expression, inner) as string;
        break;
      case 'binary':
        if (expression.operator !== '??') break;
        return inner(this.value(expression.left) === null ? expression.right : expression.left);
      case 'call':
        if (expression.name !== 'concat' || expression.argument.kind !== 'array') break;
        return expression.argument.items.map(inner).join('');
      case 'variable':
        if (expression.name === '$base_url') return this.render(this.value(expression), expression);
    }
    const isEscaped = expression.kind === 'call' && expression.name === 'escapeUri';
    return part(this.render(this.value(expression), expression), isEscaped);
  }

  #field(expression: Expression & { kind: 'field' }): unknown {
    const { target, key: keyExpression, optional } = expression;
    const owner = this.#evaluate(target);
    if (owner === MISSING) return MISSING;
    if (owner === null && optional) return MISSING;
    const key = this.value(keyExpression);
    if (isObject(owner)) {
      if (typeof key !== 'string') this.#wrongKey(key, 'a string', expression);
      const found = ownField(owner, key);
      if (found !== undefined) return found;
      if (optional) return MISSING;
      return this.#fail('Attribute Error', `'Object' has no attribute '${key}'.`, expression);
    }
    if (Array.isArray(owner)) {
      if (!isNumber(key) || !Number.isInteger(key)) this.#wrongKey(key, 'an integer', expression);
      const found: unknown = owner[key as number];
      if (found !== undefined) return found;
      return optional ? MISSING : this.#fail('Range Error', 'Index out of range', expression);
    }
    return this.#fail(
      'Type Error',
      `Unexpected type '${kindOf(owner)}' expected an Object or an Array.`,
      expression,
    );
  }

  #wrongKey(key: unknown, expected: string, expression: Expression): never {
    this.#fail('Type Error', `Unexpected type '${kindOf(key)}', expected ${expected}.`, expression);
  }

  #call(expression: Expression & { kind: 'call' }): unknown {
    const argument = this.value(expression.argument);
    try {
      return callFunction(expression.name, argument, this.#sessionVariables);
    } catch (error) {
      if (!(error instanceof FunctionFailure)) throw error;
      return this.#fail('Function Error', error.message, expression);
    }
  }

  #condition(expression: Expression): boolean {
    const value = this.value(expression);
    if (typeof value === 'boolean') return value;
    return this.#fail('Type Error', `'${kindOf(value)}' is not a boolean.`, expression);
  }

  #binary(expression: Expression & { kind: 'binary' }): unknown {
    const { operator, left, right } = expression;
    switch (operator) {
      case '??':
        return this.value(left) ?? this.value(right);
      case '&&':
        return this.#condition(left) && this.#condition(right);
      case '||':
        return this.#condition(left) || this.#condition(right);
      case 'in':
        return this.#member(this.value(left), this.value(right), expression);
    }
    const order = compareValues(this.value(left), this.value(right));
    switch (operator) {
      case '==':
        return order === 0;
      case '!=':
        return order !== 0;
      case '<':
        return order < 0;
      case '>':
        return order > 0;
      case '<=':
        return order <= 0;
      case '>=':
        return order >= 0;
    }
  }

  #member(value: unknown, container: unknown, expression: Expression): boolean {
    if (Array.isArray(container)) return container.some((item) => compareValues(item, value) === 0);
    if (!isObject(container)) {
      return this.#fail('Type Error', `'${kindOf(container)}' is not an Object or Array.`, expression);
    }
    if (typeof value !== 'string') {
      return this.#fail('Type Error', `'${kindOf(value)}' is not a String.`, expression);
    }
    return Object.hasOwn(container, value);
  }

  #range(expression: Expression & { kind: 'range' }, evaluate: (body: Expression) => unknown): unknown {
    const list = this.value(expression.list);
    if (!Array.isArray(list)) {
      return this.#fail('Range Error', 'Can only range over an array', expression.list);
    }
    const names = expression.index === undefined ? [expression.item] : [expression.index, expression.item];
    const before = names.map((name) => [name, this.#scope.has(name), this.#scope.get(name)] as const);
    const results = list.map((item: unknown, position) => {
      if (expression.index !== undefined) this.#scope.set(expression.index, position);
      this.#scope.set(expression.item, item);
      return evaluate(expression.body);
    });
    for (const [name, wasBound, value] of before) {
      if (wasBound) this.#scope.set(name, value);
      else this.#scope.delete(name);
    }
    return expression.isText ? results.join('') : results;
  }

  #fail(code: TemplateProblem['error_code'], message: string, { span }: Expression): never {
    throw templateError(code, message, this.#template.text, span);
  }
}
