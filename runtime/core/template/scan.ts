/** The characters of a template: words, symbols, strings, and the errors that point at them. */
import { templateError } from './syntax.ts';

/** Maximum nesting of `nested`; deeper templates are refused. An expression takes one for each level of operators. */
const MAX_DEPTH = 800;

const IDENTIFIER = /\$?[A-Za-z_][A-Za-z0-9_$-]*|\$/y;
const SPACE = /(?:\s|#.*)*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** A text and the place that is read next. */
export class Scanner {
  protected readonly text: string;
  protected at = 0;
  #depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  protected nested<Result>(parse: () => Result): Result {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) {
      this.fail('The template is nested too deeply.', this.at, this.at + 1);
    }
    const result = parse();
    this.#depth -= 1;
    return result;
  }

  protected space(): void {
    this.match(SPACE);
  }

  protected match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  protected peekIdentifier(): string | undefined {
    IDENTIFIER.lastIndex = this.at;
    return IDENTIFIER.exec(this.text)?.[0];
  }

  protected identifier(): string {
    return this.match(IDENTIFIER) ?? this.unexpected();
  }

  protected spacedIdentifier(): string {
    this.space();
    return this.identifier();
  }

  protected take(symbol: string): boolean {
    const found = this.text.startsWith(symbol, this.at);
    if (found) this.at += symbol.length;
    return found;
  }

  protected takeSpaced(symbol: string): boolean {
    this.space();
    return this.take(symbol);
  }

  protected expect(symbol: string): void {
    if (symbol !== '"') this.space();
    if (!this.take(symbol)) this.unexpected(symbol);
  }

  protected unexpected(expected?: string): never {
    const found = this.peekIdentifier() ?? this.text[this.at];
    const what =
      found === undefined ? 'Unexpected end of the template' : `Unexpected ${JSON.stringify(found)}`;
    const wanted = expected === undefined ? '' : `, expected ${JSON.stringify(expected)}`;
    this.fail(`${what}${wanted}.`, this.at, this.at + (found?.length ?? 0));
  }

  protected fail(message: string, start: number, end: number): never {
    throw templateError('Parse Error', message, this.text, { start, end });
  }

  protected escape(): string {
    const start = this.at;
    const letter = this.text[this.at + 1] ?? '';
    const unicode = /^u[0-9a-fA-F]{4}/.exec(this.text.slice(start + 1, start + 6))?.[0];
    if (unicode !== undefined) {
      this.at += 6;
      return String.fromCharCode(Number.parseInt(unicode.slice(1), 16));
    }
    const escaped = ESCAPES[letter];
    if (escaped === undefined) this.fail('Invalid escape in a string.', start, start + 2);
    this.at += 2;
    return escaped;
  }

  /** A constant between single quotes. */
  protected quoted(): string {
    const start = this.at;
    this.at += 1;
    let text = '';
    while (this.text[this.at] !== "'") {
      if (this.at >= this.text.length) this.fail('Unterminated string.', start, this.at);
      if (this.text[this.at] === '\\') text += this.escape();
      else {
        text += this.text[this.at];
        this.at += 1;
      }
    }
    this.at += 1;
    return text;
  }
}
