/**
 * The templates of generated files. They hold loops and names only; every decision is taken before, and everything that
 * could be an odd name goes through a helper that quotes it. Nothing here is HTML, so escaping for HTML is off.
 */

import { readFileSync } from 'node:fs';
import Handlebars from 'handlebars';
import { isObject } from '../../../runtime/core/json/json.ts';
import { NumberText } from '../../../runtime/core/json/json-value.ts';

const handlebars = Handlebars.create();

/** A string literal of TypeScript. */
export function stringLiteral(text: string): string {
  return JSON.stringify(text);
}

/** A template literal of TypeScript whose value is exactly the text. */
export function templateLiteral(text: string): string {
  return `\`${text.replace(/\\|`|\$\{/g, '\\$&').replaceAll('\r', '\\r')}\``;
}

/**
 * Key of an object literal: bare where that is allowed. `__proto__` must not become the prototype, and for a key that every
 * object has, such as `constructor`, TypeScript would not see that the value is an entry like the others.
 */
export function propertyKey(name: string): string {
  if (name in Object.prototype) return `[${JSON.stringify(name)} as string]`;
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : JSON.stringify(name);
}

/** Plain data as TypeScript on one line: `{ type: "int4", notNull: true }`. */
export function inlineLiteral(value: unknown): string {
  if (value instanceof NumberText) return `exact(${JSON.stringify(value.text)})`;
  if (Array.isArray(value)) return `[${value.map(inlineLiteral).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `${propertyKey(key)}: ${inlineLiteral(item)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

/** Whether printing the value needs the function `exact` of the contract. */
export function holdsExactNumber(value: unknown): boolean {
  if (value instanceof NumberText) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsExactNumber);
}

/** Characters of a literal that stays on one line, its indentation included. */
const WIDTH = 110;

/** Plain data as TypeScript: on one line where it is short, otherwise one entry a line. `depth` is its indentation. */
export function printLiteral(value: unknown, depth: number): string {
  const line = inlineLiteral(value);
  if (!isObject(value) && !Array.isArray(value)) return line;
  if (line.length + 2 * depth <= WIDTH) return line;
  const indent = '  '.repeat(depth + 1);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const lines = Array.isArray(value)
    ? value.map((item) => printLiteral(item, depth + 1))
    : Object.entries(value).map(([key, item]) => `${propertyKey(key)}: ${printLiteral(item, depth + 1)}`);
  return `${open}\n${lines.map((each) => `${indent}${each},\n`).join('')}${'  '.repeat(depth)}${close}`;
}

/** Text within a line comment: nothing in a name ends the line. */
export function commentText(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]/gu, (character) => JSON.stringify(character).slice(1, -1))
    .replace(/[\x7f-\x9f\u2028\u2029]/g, '?');
}

handlebars.registerHelper('string', stringLiteral);
handlebars.registerHelper('key', propertyKey);
handlebars.registerHelper('literal', inlineLiteral);
handlebars.registerHelper('template', templateLiteral);
handlebars.registerHelper('comment', commentText);

function load<Context>(name: string): (context: Context) => string {
  const text = readFileSync(new URL(`../../../templates/${name}.hbs`, import.meta.url), 'utf8');
  return handlebars.compile<Context>(text, { noEscape: true, strict: true });
}

export interface TableContext {
  readonly place: string;
  readonly sourceImport: string;
  /** Whether the function of the contract is imported. */
  readonly exact: boolean;
  readonly identifier: string;
  /** Name of the type of its rows. */
  readonly type: string;
  readonly head: readonly Property[];
  readonly groups: readonly { readonly name: string; readonly entries: readonly Property[] }[];
  readonly tail: readonly Property[];
  /** Arguments of `standardFields`; empty if the fields are listed. */
  readonly standard: string;
  /** Root fields below query, subscription and mutation; empty if they are the standard ones. */
  readonly sections: readonly Property[];
}

/** A property whose value is printed as TypeScript already. */
export interface Property {
  readonly name: string;
  readonly value: string;
}

export interface AccessContext {
  readonly place: string;
  readonly imports: string;
  readonly identifier: string;
  readonly tableImport: string;
  /** Rules that several permissions have, printed. */
  readonly rules: readonly Property[];
  readonly operations: readonly {
    readonly operation: string;
    readonly roles: readonly AccessRoleContext[];
  }[];
}

export interface AccessRoleContext {
  readonly role: string;
  /** Lists, single-line properties and rules, in order. */
  readonly properties: readonly Property[];
  readonly groups: readonly { readonly name: string; readonly entries: readonly Property[] }[];
}

export interface SourceContext {
  readonly name: string;
  readonly properties: readonly Property[];
  /** Empty for plain PostgreSQL. */
  readonly distribution: readonly {
    readonly tables: readonly Property[];
    readonly functions: readonly Property[];
    readonly fingerprint: string;
  }[];
  readonly types: readonly Property[];
}

export interface FunctionContext {
  readonly place: string;
  /** The SQL of a native query, as a literal. */
  readonly sql: readonly string[];
  readonly identifier: string;
  readonly properties: readonly Property[];
  /** Root fields below query, subscription and mutation. */
  readonly sections: readonly Property[];
}

export interface EventTriggerContext {
  readonly place: string;
  readonly table: string;
  /** For each operation, what leaves the database and for where. */
  readonly leaves: readonly string[];
  readonly identifier: string;
  readonly name: string;
  readonly tableName: unknown;
  readonly manual: boolean;
  readonly options: readonly Property[];
  readonly delivery: readonly Property[];
  readonly captures: readonly {
    readonly operation: string;
    readonly sends: unknown;
    readonly always: boolean;
    readonly function: string;
    readonly trigger: string;
  }[];
}

export interface CronContext {
  readonly exact: boolean;
  readonly triggers: readonly {
    readonly properties: readonly Property[];
    readonly delivery: readonly Property[];
  }[];
}

export interface EventsIndexContext {
  readonly imports: readonly { readonly identifier: string; readonly file: string }[];
  readonly sources: readonly { readonly source: string; readonly identifiers: string }[];
  readonly cron: string;
}

export interface CustomTypesContext {
  readonly sections: readonly {
    readonly name: string;
    readonly types: readonly {
      readonly name: string;
      readonly properties: readonly Property[];
      readonly groups: readonly { readonly name: string; readonly entries: readonly Property[] }[];
    }[];
  }[];
  readonly hasPostgres: boolean;
  readonly postgres: readonly Property[];
  /** TypeScript types of the same, printed. */
  readonly declarations: readonly string[];
}

export interface ActionContext {
  readonly place: string;
  readonly imports: string;
  readonly interfaceName: string;
  /** Members of an interface, printed. */
  readonly fields: readonly string[];
  readonly output: string;
  readonly identifier: string;
  readonly properties: readonly Property[];
  readonly arguments: readonly Property[];
  readonly call: readonly Property[];
}

export interface IndexContext {
  readonly actions: readonly { readonly identifier: string; readonly file: string }[];
  readonly hasSaved: boolean;
  readonly hasEvents: boolean;
  readonly settings: readonly Property[];
  readonly sources: readonly { readonly identifier: string; readonly file: string }[];
  readonly tables: readonly { readonly identifier: string; readonly file: string }[];
  readonly functions: readonly { readonly identifier: string; readonly file: string }[];
  readonly remotes: readonly { readonly identifier: string; readonly file: string }[];
}

export interface RemoteContext {
  readonly place: string;
  readonly identifier: string;
  readonly properties: readonly Property[];
  readonly headers: readonly Property[];
  readonly relationships: readonly { readonly type: string; readonly entries: readonly Property[] }[];
  readonly schemaFile: string;
  readonly roles: readonly { readonly role: string; readonly identifier: string; readonly file: string }[];
}

export interface SdlContext {
  readonly place: string;
  readonly sdl: string;
}

export interface SavedContext {
  readonly place: string;
  readonly identifier: string;
  readonly collection: string;
  readonly name: string;
  readonly kind: string;
  readonly document: string;
  readonly variables: readonly Property[];
  /** Why it is planned per request, printed; empty when it is not. */
  readonly why: string;
  /** Statements that stand more than once, printed. */
  readonly shared: readonly Property[];
  readonly plans: readonly {
    readonly roles: string;
    /** Printed; empty when the plan serves any values. */
    readonly when: string;
    /** Statements are printed, or names of shared ones. `sql` is empty where it writes. */
    readonly steps: readonly {
      readonly source: string;
      readonly sql: string;
      readonly statements: readonly string[];
    }[];
    /** Of a query with `@cached`; printed, otherwise empty. */
    readonly cached: string;
  }[];
  /** By role; lines are printed. */
  readonly wakes: readonly { readonly name: string; readonly lines: readonly string[] }[];
  /** Empty where each request is planned; `plans` is printed. */
  readonly execution: readonly { readonly values: readonly Property[]; readonly plans: string }[];
}

export interface AllowlistContext {
  readonly documents: readonly {
    readonly collection: string;
    readonly name: string;
    /** Printed; empty for every role. */
    readonly roles: string;
    readonly document: string;
  }[];
}

export interface RoutesContext {
  readonly operations: readonly { readonly identifier: string; readonly file: string }[];
  readonly routes: readonly {
    readonly methods: string;
    readonly url: string;
    readonly operation: string;
    readonly name: string;
    /** The comment, printed, with the comma before it. */
    readonly remark: string;
  }[];
}

export interface SavedIndexContext {
  readonly options: string;
  readonly operations: readonly {
    readonly identifier: string;
    readonly file: string;
    readonly remark: string;
  }[];
}

export const templates = {
  table: load<TableContext>('table'),
  access: load<AccessContext>('access'),
  source: load<SourceContext>('source'),
  function: load<FunctionContext>('function'),
  eventTrigger: load<EventTriggerContext>('event-trigger'),
  cron: load<CronContext>('cron'),
  eventsIndex: load<EventsIndexContext>('events-index'),
  customTypes: load<CustomTypesContext>('custom-types'),
  action: load<ActionContext>('action'),
  index: load<IndexContext>('index'),
  saved: load<SavedContext>('saved'),
  allowlist: load<AllowlistContext>('allowlist'),
  routes: load<RoutesContext>('routes'),
  savedIndex: load<SavedIndexContext>('saved-index'),
  remote: load<RemoteContext>('remote'),
  sdl: load<SdlContext>('sdl'),
  readme: load<{ readonly openBraces: string }>('readme'),
};
