/** Parser of the template language: recursive descent over the text. */
import { parseExactJson } from '../json/exact-json.ts';
import { NumberText } from '../types.ts';
import { isFunctionName } from './functions.ts';
import { Scanner } from './scan.ts';
import type { BinaryOperator, Expression, Template } from './syntax.ts';

/**
 * Parses a template of a JSON value.
 * @throws TemplateError
 */
export function parseTemplate(text: string): Template {
  const parser = new Parser(text);
  return { text, root: parser.wholeValue() };
}

/**
 * Parses a template of a text, such as a URL or a header's value: what it would be between double quotes.
 * @throws TemplateError
 */
export function parseTextTemplate(text: string): Template {
  const parser = new Parser(text);
  return { text, root: parser.wholeText() };
}

/** Operators from loosest to tightest; those of a level associate to the left. */
const LEVELS: readonly (readonly BinaryOperator[])[] = [
  ['??'],
  ['||'],
  ['&&'],
  ['==', '!=', '<=', '>=', '<', '>', 'in'],
];

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const BLOCK_ENDS = new Set(['elif', 'else', 'end']);
const RESERVED = new Set([...BLOCK_ENDS, 'if', 'range', 'in']);

class Parser extends Scanner {
  /** Variables that enclosing ranges bind; they hide functions of the same name. */
  readonly #bound: string[] = [];

  wholeValue(): Expression {
    const value = this.#expression();
    this.space();
    if (this.at < this.text.length) this.unexpected();
    return value;
  }

  wholeText(): Expression {
    const parts = this.#textParts(undefined);
    if (this.at < this.text.length) this.unexpected();
    return { kind: 'text', parts, span: { start: 0, end: this.text.length } };
  }

  #expression(level = 0): Expression {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#postfix();
    return this.nested(() => {
      this.space();
      const start = this.at;
      let left = this.#expression(level + 1);
      for (;;) {
        const operator = this.#operator(operators);
        if (operator === undefined) return left;
        const right = this.#expression(level + 1);
        left = { kind: 'binary', operator, left, right, span: { start, end: this.at } };
      }
    });
  }

  #operator(operators: readonly BinaryOperator[]): BinaryOperator | undefined {
    this.space();
    const found = operators.find((operator) =>
      operator === 'in' ? this.peekIdentifier() === 'in' : this.text.startsWith(operator, this.at),
    );
    if (found !== undefined) this.at += found.length;
    return found;
  }

  /** A primary expression and the lookups after it. */
  #postfix(): Expression {
    this.space();
    const start = this.at;
    let target = this.#primary();
    for (;;) {
      const before = this.at;
      this.space();
      const optional = this.text[this.at] === '?' && this.text[this.at + 1] !== '?';
      if (optional) this.at += 1;
      let key: Expression;
      if (this.take('.')) {
        key = optional && this.text[this.at] === '[' ? this.#bracketed() : this.#fieldName();
      } else if (this.text[this.at] === '[' && (optional || isLookup(target))) {
        key = this.#bracketed();
      } else {
        if (optional) this.unexpected();
        this.at = before;
        return target;
      }
      target = { kind: 'field', target, key, optional, span: { start, end: this.at } };
    }
  }

  #fieldName(): Expression {
    this.space();
    const start = this.at;
    const name = this.identifier();
    return { kind: 'literal', value: name, span: { start, end: this.at } };
  }

  #bracketed(): Expression {
    this.expect('[');
    const key = this.#expression();
    this.expect(']');
    return key;
  }

  #primary(): Expression {
    const start = this.at;
    const span = () => ({ start, end: this.at });
    const next = this.text[this.at];
    if (this.text.startsWith('{{', this.at)) return this.#braces();
    if (next === '{') return this.#object();
    if (next === '[') {
      const items = this.#list('[', ']', () => this.#expression());
      return { kind: 'array', items, span: span() };
    }
    if (next === '"') {
      this.at += 1;
      const parts = this.#textParts('"');
      this.expect('"');
      return { kind: 'text', parts, span: span() };
    }
    if (next === "'") {
      const value = this.quoted();
      return { kind: 'literal', value, span: span() };
    }
    if (this.take('(')) {
      const inner = this.#expression();
      this.expect(')');
      return inner;
    }
    const number = this.match(NUMBER);
    if (number !== undefined) return { kind: 'literal', value: this.#number(number, start), span: span() };
    const name = this.peekIdentifier();
    if (name === undefined || RESERVED.has(name)) this.unexpected();
    this.at += name.length;
    if (name === 'true' || name === 'false') return { kind: 'literal', value: name === 'true', span: span() };
    if (name === 'null') return { kind: 'literal', value: null, span: span() };
    if (isFunctionName(name) && !this.#bound.includes(name)) {
      const argument = this.nested(() => this.#postfix());
      return { kind: 'call', name, argument, span: span() };
    }
    return { kind: 'variable', name, span: span() };
  }

  #number(text: string, start: number): unknown {
    try {
      const value = parseExactJson(text);
      // A template's own numbers are sent as they are written.
      return /[eE]/.test(text) ? new NumberText(text) : value;
    } catch {
      this.at = start;
      return this.unexpected();
    }
  }

  #object(): Expression {
    const start = this.at;
    const entries = this.#list('{', '}', () => {
      this.space();
      this.expect('"');
      const keyStart = this.at;
      const parts = this.#textParts('"');
      if (parts.some((part) => typeof part !== 'string')) {
        this.fail('Keys of an object must be constant.', keyStart, this.at);
      }
      this.expect('"');
      this.expect(':');
      return [parts.join(''), this.#expression()] as const;
    });
    return { kind: 'object', entries, span: { start, end: this.at } };
  }

  #list<Item>(open: string, close: string, item: () => Item): Item[] {
    this.expect(open);
    const items: Item[] = [];
    this.space();
    if (this.take(close)) return items;
    do items.push(item());
    while (this.takeSpaced(','));
    this.expect(close);
    return items;
  }

  /** `{{ expression }}`, or a block with its branches. */
  #braces(): Expression {
    const block = this.#block(() => this.#expression(), false);
    if (block !== undefined) return block;
    this.at += 2;
    const value = this.#expression();
    this.expect('}}');
    return value;
  }

  /** `{{ if … }}` or `{{ range … }}` up to its end; undefined when the braces hold an expression. */
  #block(body: () => Expression, isText: boolean): Expression | undefined {
    const word = this.#blockWord();
    if (word !== 'if' && word !== 'range') return undefined;
    return this.nested(() => {
      const start = this.at;
      this.#openBlock(word);
      return word === 'if' ? this.#branches(start, body) : this.#range(start, body, isText);
    });
  }

  /** The word after `{{`, which the parser stays in front of. */
  #blockWord(): string | undefined {
    const before = this.at;
    this.at += 2;
    this.space();
    const word = this.peekIdentifier();
    this.at = before;
    return word;
  }

  #openBlock(word: string): void {
    this.expect('{{');
    this.space();
    if (this.peekIdentifier() !== word) this.unexpected();
    this.at += word.length;
  }

  #branches(start: number, body: () => Expression): Expression {
    const condition = this.#expression();
    this.expect('}}');
    const then = body();
    this.space();
    const branchStart = this.at;
    let otherwise: Expression;
    if (this.text.startsWith('{{', this.at) && this.#blockWord() === 'elif') {
      this.#openBlock('elif');
      otherwise = this.nested(() => this.#branches(branchStart, body));
    } else {
      this.#openBlock('else');
      this.expect('}}');
      otherwise = body();
      this.#openBlock('end');
      this.expect('}}');
    }
    return { kind: 'if', condition, then, else: otherwise, span: { start, end: this.at } };
  }

  #range(start: number, body: () => Expression, isText: boolean): Expression {
    const index = this.spacedIdentifier();
    this.expect(',');
    const item = this.spacedIdentifier();
    this.expect(':=');
    const list = this.#expression();
    this.expect('}}');
    this.#bound.push(index, item);
    const content = body();
    this.#bound.length -= 2;
    this.#openBlock('end');
    this.expect('}}');
    const named = index === '_' ? {} : { index };
    return { kind: 'range', ...named, item, list, body: content, isText, span: { start, end: this.at } };
  }

  /** The content of a string up to `close`, or of the rest of the template. */
  #textParts(close: '"' | undefined): (string | Expression)[] {
    const parts: (string | Expression)[] = [];
    let text = '';
    const flush = () => {
      if (text !== '') parts.push(text);
      text = '';
    };
    while (this.at < this.text.length) {
      const next = this.text[this.at]!;
      if (next === close) break;
      if (next === '\\') text += this.escape();
      else if (this.text.startsWith('{{', this.at)) {
        const word = this.#blockWord();
        if (word !== undefined && BLOCK_ENDS.has(word)) break;
        flush();
        parts.push(this.#block(() => this.#blockText(close), true) ?? this.#braces());
      } else {
        text += next;
        this.at += 1;
      }
    }
    flush();
    return parts;
  }

  #blockText(close: '"' | undefined): Expression {
    const start = this.at;
    const parts = this.#textParts(close);
    return { kind: 'text', parts, span: { start, end: this.at } };
  }
}

/** After these a bracket is a lookup; after a literal it would be a mistake. */
function isLookup(target: Expression): boolean {
  return target.kind === 'variable' || target.kind === 'field' || target.kind === 'call';
}
