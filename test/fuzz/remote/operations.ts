/** Random operations that are right for the whole remote schema, and ask here and there for what a part of it lacks. */
import type { Random } from '../random.ts';

export interface Request {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

type ObjectName = 'A' | 'B' | 'N' | 'U';
type Arguments = readonly (readonly [name: string, type: string])[];

/** Of the client; no preset, key or default has one of these values. */
const TEXT = 'of the client';

const INPUTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  F: { x: 'String', y: 'Int', e: 'E', f: 'F', g: 'G', secret: 'String' },
  G: { z: 'String', secret: 'Boolean' },
};

const ROOTS: Readonly<
  Record<'Query' | 'Mutation', readonly (readonly [string, Arguments, ObjectName | undefined])[]>
> = {
  Query: [
    [
      'a',
      [
        ['f', 'F'],
        ['n', 'Int'],
      ],
      'A',
    ],
    [
      'b',
      [
        ['id', 'ID'],
        ['f', 'F'],
      ],
      'B',
    ],
    ['n', [], 'N'],
    ['u', [], 'U'],
    [
      'e',
      [
        ['v', 'E'],
        ['g', '[G!]'],
      ],
      undefined,
    ],
    [
      'l',
      [
        ['list', '[F!]'],
        ['ids', '[ID!]'],
      ],
      'A',
    ],
  ],
  Mutation: [
    [
      'set',
      [
        ['f', 'F'],
        ['n', 'Int'],
      ],
      'A',
    ],
    [
      'drop',
      [
        ['id', 'ID'],
        ['g', 'G'],
      ],
      'B',
    ],
  ],
};

/** @param part members of the part that the client sees, as `membersOf` has them */
export function randomRequest(random: Random, part: ReadonlySet<string>): Request {
  return new Writer(random, part).request();
}

class Writer {
  readonly #random: Random;
  readonly #part: ReadonlySet<string>;
  readonly #variables: Record<string, unknown> = {};
  readonly #declarations: string[] = [];
  readonly #fragments: string[] = [];

  constructor(random: Random, part: ReadonlySet<string>) {
    this.#random = random;
    this.#part = part;
  }

  /** Rarely what the part lacks. */
  #has(member: string): boolean {
    return this.#part.has(member) || this.#random.chance(0.02);
  }

  request(): Request {
    const random = this.#random;
    const isMutation = random.chance(0.25);
    const root = isMutation ? 'Mutation' : 'Query';
    const roots = ROOTS[root].filter(([name]) => this.#has(`${root}.${name}`));
    if (roots.length === 0) return { query: '{ __typename }', variables: {} };
    const fields = random.list(random.between(1, 3), (index) => {
      const [name, args, type] = random.pick(roots);
      return `r${index}: ${this.#field(root, name, args, type, 0)}`;
    });
    const head = this.#declarations.length > 0 ? `(${this.#declarations.join(', ')})` : '';
    const operation = `${isMutation ? 'mutation' : 'query'} ${head} { ${fields.join(' ')} }`;
    return { query: [operation, ...this.#fragments].join('\n'), variables: this.#variables };
  }

  #field(owner: string, name: string, args: Arguments, type: ObjectName | undefined, depth: number): string {
    const known = args.filter(([each]) => this.#has(`${owner}.${name}.${each}`));
    const given = this.#random.some(known, 0.5).map(([each, of]) => `${each}: ${this.#argument(of)}`);
    const list = given.length > 0 ? `(${given.join(', ')})` : '';
    return `${name}${list}${this.#directive()}${type ? ` ${this.#object(type, depth)}` : ''}`;
  }

  /** A literal, a variable with a value, or a variable with a default. */
  #argument(type: string): string {
    const random = this.#random;
    const value = this.#value(type, 0);
    if (random.chance(0.4)) return this.#literal(value, type);
    const name = `v${this.#declarations.length}`;
    const isDefault = random.chance(0.3);
    this.#declarations.push(`$${name}: ${type}${isDefault ? ` = ${this.#literal(value, type)}` : ''}`);
    if (!isDefault) this.#variables[name] = value;
    return `$${name}`;
  }

  #value(type: string, depth: number, isItem = false): unknown {
    const random = this.#random;
    if (type.startsWith('['))
      return random.list(random.between(0, 2), () => this.#value(type.slice(1, -2), depth + 1, true));
    if (depth > 0 && !isItem && random.chance(0.1)) return null;
    const fields = INPUTS[type];
    if (fields)
      return Object.fromEntries(
        random
          .some(Object.entries(fields), depth < 3 ? 0.35 : 0)
          .filter(([name]) => this.#has(`${type}.${name}`))
          .map(([name, of]) => [name, this.#value(of, depth + 1)]),
      );
    if (type === 'E')
      return random.pick(['P', 'Q', 'R'].filter((value) => value === 'Q' || this.#has(`E.${value}`)));
    if (type === 'Int') return 5;
    return type === 'Boolean' ? false : TEXT;
  }

  /** Part of an input object may be a variable. */
  #literal(value: unknown, type: string): string {
    if (value === null) return 'null';
    if (Array.isArray(value))
      return `[${value.map((item) => this.#literal(item, type.slice(1, -2))).join(', ')}]`;
    const fields = INPUTS[type];
    if (!fields) return type === 'E' ? String(value) : JSON.stringify(value);
    const members = Object.entries(value as object).map(
      ([name, item]) => `${name}: ${this.#literal(item, fields[name]!)}`,
    );
    return `{${members.join(', ')}}`;
  }

  #alias(): string {
    const names = ['x', 'limit', 'secret', 'f0', 'm'];
    return this.#random.chance(0.3) ? `${this.#random.pick(names)}${this.#random.below(1000)}: ` : '';
  }

  #directive(): string {
    return this.#random.chance(0.1) ? this.#random.pick([' @include(if: true)', ' @skip(if: false)']) : '';
  }

  #object(type: ObjectName, depth: number): string {
    const random = this.#random;
    const isObject = type === 'A' || type === 'B';
    const fields = type === 'U' ? [] : ['id'];
    const add = (chance: number, name: string, text: () => string) => {
      if (random.chance(chance) && this.#has(`${type}.${name}`)) fields.push(`${this.#alias()}${text()}`);
    };
    const below = (name: string, args: Arguments, to: ObjectName) => () =>
      this.#field(type, name, args, to, depth + 1);
    if (type !== 'U') add(0.5, 's', () => 's');
    if (isObject) add(0.3, 'secret', () => 'secret');
    if (depth < 3 && type === 'A') {
      add(0.5, 'b', below('b', [['f', 'F']], 'B'));
      add(0.3, 'toB', below('toB', [['f', 'F']], 'B'));
      add(0.3, 'toA', below('toA', [['n', 'Int']], 'A'));
    }
    if (depth < 3 && type === 'B') {
      add(0.4, 'a', below('a', [], 'A'));
      add(0.3, 'below', below('below', [], 'B'));
    }
    if (!isObject && random.chance(0.8)) {
      const on = random.pick(['A', 'B'] as const);
      fields.push(`... on ${on}${this.#directive()} ${depth < 2 ? this.#object(on, depth + 1) : '{ id }'}`);
    }
    if (isObject && depth < 2 && random.chance(0.15)) {
      const name = `F${this.#fragments.length}`;
      this.#fragments.push('');
      const index = this.#fragments.length - 1;
      this.#fragments[index] = `fragment ${name} on ${type} ${this.#object(type, depth + 1)}`;
      fields.push(`...${name}`);
    }
    return `{ ${['__typename', ...fields].join(' ')} }`;
  }
}
