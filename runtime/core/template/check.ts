/** Checks a template against what is known of its variables, before anything is evaluated. */
import {
  type Expression,
  sourcePosition,
  type Template,
  type TemplateProblem,
  type TextSpan,
} from './syntax.ts';

/** The known type of a value; `any` if a check cannot decide. */
export type Shape =
  | { readonly kind: 'any' }
  /** An object with no other fields than these. */
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, Shape>> }
  | { readonly kind: 'array'; readonly item: Shape }
  /** `name` is for messages: a column type, a GraphQL scalar. */
  | { readonly kind: 'scalar'; readonly name: string };

const ANY: Shape = { kind: 'any' };

/** Shapes of variables by name, with their dollar. A template may use no others. */
export type Shapes = Readonly<Record<string, Shape>>;

/** Lookups that can never succeed, and variables that do not exist. */
export function checkTemplate(template: Template, shapes: Shapes): readonly TemplateProblem[] {
  const problems: TemplateProblem[] = [];
  const report = (error_code: TemplateProblem['error_code'], message: string, span: TextSpan) =>
    problems.push({ error_code, message, source_position: sourcePosition(template.text, span) });

  const shapeOf = (expression: Expression, scope: Shapes): Shape => {
    switch (expression.kind) {
      case 'literal':
        return literalShape(expression.value);
      case 'text':
        for (const part of expression.parts) {
          if (typeof part === 'string') continue;
          const { kind } = shapeOf(part, scope);
          if (kind === 'object' || kind === 'array') {
            const name = kind === 'object' ? 'Object' : 'Array';
            report('Type Error', `Cannot interpolate type: '${name}'.`, part.span);
          }
        }
        return { kind: 'scalar', name: 'String' };
      case 'array': {
        const [first = ANY] = expression.items.map((item) => shapeOf(item, scope));
        return { kind: 'array', item: expression.items.length === 1 ? first : ANY };
      }
      case 'object':
        return {
          kind: 'object',
          fields: Object.fromEntries(
            expression.entries.map(([key, value]) => [key, shapeOf(value, scope)] as const),
          ),
        };
      case 'variable': {
        const found = Object.hasOwn(scope, expression.name) ? scope[expression.name] : undefined;
        if (found === undefined) {
          report('Attribute Error', `Unbound variable '${expression.name}'.`, expression.span);
        }
        return found ?? ANY;
      }
      case 'field':
        return fieldShape(expression, shapeOf(expression.target, scope), shapeOf(expression.key, scope));
      case 'call':
        shapeOf(expression.argument, scope);
        return ANY;
      case 'binary': {
        const left = shapeOf(expression.left, scope);
        const right = shapeOf(expression.right, scope);
        if (expression.operator !== '??') return { kind: 'scalar', name: 'Boolean' };
        return left.kind === right.kind && left.kind === 'scalar' ? left : ANY;
      }
      case 'if':
        shapeOf(expression.condition, scope);
        shapeOf(expression.then, scope);
        shapeOf(expression.else, scope);
        return ANY;
      case 'range': {
        const list = shapeOf(expression.list, scope);
        if (list.kind === 'object' || list.kind === 'scalar') {
          report('Range Error', 'Can only range over an array', expression.list.span);
        }
        const inner: Record<string, Shape> = {
          ...scope,
          [expression.item]: list.kind === 'array' ? list.item : ANY,
        };
        if (expression.index !== undefined) inner[expression.index] = { kind: 'scalar', name: 'Number' };
        return { kind: 'array', item: shapeOf(expression.body, inner) };
      }
    }
  };

  const fieldShape = (expression: Expression & { kind: 'field' }, target: Shape, key: Shape): Shape => {
    const { key: keyExpression, span } = expression;
    const name = keyExpression.kind === 'literal' ? keyExpression.value : undefined;
    if (target.kind === 'scalar') {
      report('Type Error', `Unexpected type '${target.name}' expected an Object or an Array.`, span);
      return ANY;
    }
    if (target.kind === 'array') {
      if (typeof name === 'string') {
        report('Type Error', "Unexpected type 'String', expected an integer.", span);
      }
      return target.item;
    }
    if (target.kind !== 'object' || (name === undefined && key.kind !== 'object')) return ANY;
    if (typeof name !== 'string') {
      report('Type Error', 'Unexpected type of a key, expected a string.', span);
      return ANY;
    }
    if (Object.hasOwn(target.fields, name)) return target.fields[name]!;
    // An optional lookup asks for a field that may be missing; one that is missing always is a mistake as well.
    report('Attribute Error', `'Object' has no attribute '${name}'.`, span);
    return ANY;
  };

  shapeOf(template.root, shapes);
  return problems;
}

function literalShape(value: unknown): Shape {
  if (value === null) return ANY;
  return { kind: 'scalar', name: typeof value === 'string' ? 'String' : 'Number' };
}
