/**
 * The word in the names of the API: `x-WORD-role`, `WORD_GRAPHQL_ADMIN_SECRET`, `WORD.user`. Everything inside says
 * `engine`; this module alone translates, at the edges where names enter and leave. The vocabulary is an argument: a server
 * has it in its configuration (`--vocabulary`), a session, a program and a compile of metadata have it of their server or
 * command. Values are translated by their position, never by searching texts.
 */

/** The word inside: of programs, generated files, rules, stored rows and messages between threads. */
const CANONICAL_WORD = 'engine';

const CANONICAL_PREFIX = `x-${CANONICAL_WORD}-`;

/** The variable that names the word is the only one that is read under the canonical word whatever the word is. */
export const VOCABULARY_VARIABLE = 'ENGINE_GRAPHQL_VOCABULARY';

/**
 * First words after `x-` of headers that clients, proxies and browsers send on their own: as a vocabulary, they would turn
 * those into session variables. PostgreSQL accepts no settings of others below `plpgsql`.
 */
const RESERVED: ReadonlySet<string> = new Set(
  `amz amzn amp api appengine att attached azure b3 cache client cloud cluster cnection content correlation csrf device dns do
  download envoy fastly forwarded frame frontend geo goog google hit host http https hub ingress is method ms nf nginx original
  originating ot permitted pingback pjax plpgsql powered proxy ratelimit rate real redirect remote request requested robots runtime
  scheme served server source ssl timer tls trace tracking ua user vercel via webkit wap wp xss xsrf`.split(
    /\s+/,
  ),
);

export class Vocabulary {
  readonly word: string;
  /** `x-acme-`: how headers and session variables begin, in lower case. */
  readonly prefix: string;
  readonly #titled: string;

  /** @throws Error whose message says what a word has to be */
  constructor(word: string) {
    if (!/^[a-z][a-z0-9]{1,30}$/.test(word))
      throw new Error(
        `expected 2 to 31 lower-case letters and digits that begin with a letter, got ${JSON.stringify(word)}`,
      );
    if (RESERVED.has(word) || word.startsWith('pg'))
      throw new Error(`"${word}" is the beginning of names that proxies, browsers or PostgreSQL use`);
    this.word = word;
    this.prefix = `x-${word}-`;
    this.#titled = `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
  }

  get isCanonical(): boolean {
    return this.word === CANONICAL_WORD;
  }

  /** The canonical name, in lower case, of a header or session variable as it is written outside; undefined for any other. */
  toCanonical(written: string): string | undefined {
    const name = written.toLowerCase();
    if (!name.startsWith(this.prefix)) return undefined;
    return this.isCanonical ? name : CANONICAL_PREFIX + name.slice(this.prefix.length);
  }

  /** `x-engine-user-id` as it is written outside; every other text as it is. */
  fromCanonical(name: string): string {
    if (this.isCanonical || !name.startsWith(CANONICAL_PREFIX)) return name;
    return this.prefix + name.slice(CANONICAL_PREFIX.length);
  }

  /** Session variables as they are written outside: the identical object in the canonical vocabulary. */
  session(variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    if (this.isCanonical) return variables;
    return Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [this.fromCanonical(name), value]),
    );
  }

  /** True for a name that would be a session variable in the canonical vocabulary, which is not the active one. */
  isForeign(written: string): boolean {
    return !this.isCanonical && written.toLowerCase().startsWith(CANONICAL_PREFIX);
  }

  /** True for a header that a service may read as one of the canonical vocabulary, which is not the active one. */
  isReadAsForeign(header: string): boolean {
    return this.isForeign(hyphenated(header));
  }

  /** True for a header that a service may read as one of the vocabulary: `x_acme_role` is one to programs that know no hyphens. */
  isReadAsOwn(header: string): boolean {
    return hyphenated(header).startsWith(this.prefix);
  }

  /** `ADMIN_SECRET` → `ACME_GRAPHQL_ADMIN_SECRET`. */
  environment(suffix: string): string {
    return `${this.word.toUpperCase()}_GRAPHQL_${suffix}`;
  }

  /** `user` → `acme.user`: settings of a database session, for the triggers and policies of users, and attributes of traces. */
  dotted(name: string): string {
    return `${this.word}.${name}`;
  }

  /** The SQL of a function that captures events reads the settings as `captureSetting` printed them. */
  capture(sql: string): string {
    if (this.isCanonical) return sql;
    return (['user', 'tracecontext'] as const).reduce(
      (text, name) => text.replaceAll(captureSetting(name), readSetting(this.dotted(name))),
      sql,
    );
  }

  /** `Default-Role` → `X-Acme-Default-Role`. */
  titled(name: string): string {
    return `X-${this.#titled}-${name}`;
  }

  /** `Acme`, as in names of types. */
  get capitalized(): string {
    return this.#titled;
  }

  /** Where the claims of a token are. */
  get claimsNamespace(): string {
    return `https://${this.word}.io/jwt/claims`;
  }

  /** Key of a remote relationship in its older form: `acme_fields`. */
  get fieldsKey(): string {
    return `${this.word}_fields`;
  }

  /** The naming convention `acme-default`. */
  get defaultNaming(): string {
    return `${this.word}-default`;
  }

  /** A naming convention as it is written outside. */
  naming(convention: string): string {
    return convention === `${CANONICAL_WORD}-default` ? this.defaultNaming : convention;
  }
}

/** As servers hand headers to programs in the environment, where `-` and `_` are the same. */
function hyphenated(header: string): string {
  return header.toLowerCase().replaceAll('_', '-');
}

/** Whether `--vocabulary` accepts the word. */
export function isVocabularyWord(word: string): boolean {
  try {
    return new Vocabulary(word).word === word;
  } catch {
    return false;
  }
}

/** How generated SQL reads a setting that says who writes. No literal and no name in that SQL can hold this text: quotes in them are doubled. */
export function captureSetting(name: 'user' | 'tracecontext'): string {
  return readSetting(`${CANONICAL_WORD}.${name}`);
}

function readSetting(name: string): string {
  return `pg_catalog.current_setting('${name}', true)`;
}

/** The vocabulary inside, and outside where no other one is given. */
export const CANONICAL: Vocabulary = new Vocabulary(CANONICAL_WORD);

/** The vocabulary that a program was compiled in. */
export function vocabularyOf({ vocabulary: word }: { readonly vocabulary?: string }): Vocabulary {
  return word === undefined ? CANONICAL : new Vocabulary(word);
}
