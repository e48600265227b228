/** Names of generated files and of what they export: readable, safe on every file system, unique. */
import { createHash } from 'node:crypto';
import { camelCase, DECLARED_SCHEMA, defaultBaseName } from '../../../runtime/core/names.ts';
import type { Ledger, ProgramPlan } from '../../model/plan.ts';

/** Paths and exports of the files of a table or function. */
export interface FileNames {
  /** Folder and file without its ending: `sources/default/public/article`. */
  readonly path: string;
  /** `article`; its rules are `articleAccess`. */
  readonly identifier: string;
}

export interface ProgramNames {
  /** Folder of a source: `sources/default`. */
  readonly source: (source: string) => string;
  /** Identifier under which the index imports a source. */
  readonly sourceIdentifier: (source: string) => string;
  readonly table: (source: string, schema: string, name: string) => FileNames;
  readonly function: (source: string, schema: string, name: string) => FileNames;
  /** Files of event triggers: `events/<source>/<trigger>`. */
  readonly eventTrigger: (source: string, name: string) => FileNames;
  /** Folder of a remote schema: `remote/<name>`. */
  readonly remote: (name: string) => FileNames;
  /** File of what a role sees of a remote schema. */
  readonly remoteRole: (name: string, role: string) => FileNames;
  /** File of an action: `actions/<name>`. */
  readonly action: (name: string) => FileNames;
  /** Files of saved operations: `saved/<collection>/<query>`. */
  readonly saved: (collection: string, name: string) => FileNames;
}

type Names = readonly { readonly name: string }[];
type Objects = readonly { readonly schema: string; readonly name: string }[];

/** Parts of the names of files and of their exports. */
export interface Named {
  readonly sources: readonly {
    readonly name: string;
    readonly tables: Objects;
    readonly functions: Objects;
  }[];
  readonly events: readonly { readonly source: string; readonly triggers: Names }[];
  readonly remotes: readonly { readonly name: string; readonly roles: readonly string[] }[];
  /** Absent when no action is served. */
  readonly actions?: Names;
  readonly saved: readonly { readonly collection: string; readonly name: string }[];
}

export function namedOf({ sources, events, remotes = [], actions, saved }: ProgramPlan): Named {
  const objectOf = ({ schema, name }: Objects[number]) => ({ schema, name });
  const nameOf = ({ name }: Names[number]) => ({ name });
  return {
    sources: sources.map(({ shape, tables, functions }) => ({
      name: shape.name,
      tables: tables.map((table) => objectOf(table.shape)),
      functions: functions.map(objectOf),
    })),
    events: events.sources.map(({ source, triggers }) => ({ source, triggers: triggers.map(nameOf) })),
    remotes: remotes.map(({ name, roles }) => ({ name, roles: Object.keys(roles) })),
    ...(actions && { actions: actions.actions.map(nameOf) }),
    saved: (saved?.operations ?? []).map(({ collection, name }) => ({ collection, name })),
  };
}

/** Hands out the names of a program, in the plan's order, so that the same plan gets the same names. */
export function nameProgram(plan: Named): ProgramNames {
  const files = createRegister((name) => name.toLowerCase());
  const identifiers = createRegister((name) => name);
  for (const word of RESERVED) identifiers.take(word, word);
  const sources = new Map<string, string>();
  const sourceIdentifiers = new Map<string, string>();
  const tables = new Map<string, FileNames>();
  const functions = new Map<string, FileNames>();
  const folders = new Map<string, string>();
  const folder = (parent: string, name: string): string => {
    const key = JSON.stringify([parent, name]);
    const found = folders.get(key) ?? files.take(`${parent}/${safeFileName(name)}`, name);
    folders.set(key, found);
    return found;
  };
  for (const { name } of plan.sources) {
    sources.set(name, folder('sources', name));
    sourceIdentifiers.set(name, identifiers.take(safeIdentifier(`${name}_source`), name));
  }
  for (const source of plan.sources) {
    const root = sources.get(source.name)!;
    const nameObject = (parent: string, schema: string, name: string, file: string): FileNames => {
      const base = defaultBaseName(schema, name);
      const plain = safeIdentifier(base);
      // The name of a second source's table says which source it is of.
      const identifier = identifiers.has(plain) ? safeIdentifier(`${source.name}_${base}`) : plain;
      const key = JSON.stringify([source.name, schema, name]);
      return {
        path: files.take(`${parent}/${safeFileName(file)}`, key),
        identifier: identifiers.take(identifier, key),
      };
    };
    for (const { schema, name } of source.tables) {
      const parent = folder(root, schema === DECLARED_SCHEMA ? 'logical_models' : schema);
      tables.set(keyOf(source.name, schema, name), nameObject(parent, schema, name, name));
    }
    for (const { schema, name } of source.functions) {
      const parent = folder(root, schema === DECLARED_SCHEMA ? 'native_queries' : 'functions');
      const file = defaultBaseName(schema, name);
      functions.set(keyOf(source.name, schema, name), nameObject(parent, schema, name, file));
    }
  }
  // `events/cron.ts` and `events/index.ts` are files of that folder, too.
  const eventTriggers = new Map<string, FileNames>();
  for (const { source, triggers } of plan.events) {
    const parent = folder('events', source);
    for (const { name } of triggers) {
      const key = JSON.stringify([source, name]);
      eventTriggers.set(key, {
        path: files.take(`${parent}/${safeFileName(name)}`, key),
        identifier: identifiers.take(safeIdentifier(`${name}_trigger`), key),
      });
    }
  }
  const remotes = new Map<string, FileNames>();
  const remoteRoles = new Map<string, FileNames>();
  for (const { name, roles } of plan.remotes) {
    const path = folder('remote', name);
    remotes.set(name, {
      path,
      identifier: identifiers.take(safeIdentifier(`${name}_remote`), `remote ${name}`),
    });
    for (const role of roles) {
      const key = JSON.stringify([name, role]);
      const file = files.take(`${folder(path, 'roles')}/${safeFileName(role)}`, key);
      remoteRoles.set(key, {
        path: file,
        identifier: identifiers.take(safeIdentifier(`${role}_schema`), key),
      });
    }
  }
  const actions = new Map<string, FileNames>();
  if (plan.actions) files.take('actions/types', '');
  for (const { name } of plan.actions ?? []) {
    const path = files.take(`actions/${safeFileName(name)}`, name);
    actions.set(name, {
      path,
      identifier: identifiers.take(safeIdentifier(`${name}_action`), `action ${name}`),
    });
  }
  const saved = new Map<string, FileNames>();
  for (const { collection, name } of plan.saved) {
    const parent = folder('saved', collection);
    const key = JSON.stringify([collection, name]);
    saved.set(key, {
      path: files.take(`${parent}/${safeFileName(name)}`, key),
      identifier: identifiers.take(safeIdentifier(`${name}_operation`), key),
    });
  }
  return {
    eventTrigger: (source, name) => eventTriggers.get(JSON.stringify([source, name]))!,
    remote: (name) => remotes.get(name)!,
    remoteRole: (name, role) => remoteRoles.get(JSON.stringify([name, role]))!,
    action: (name) => actions.get(name)!,
    saved: (collection, name) => saved.get(JSON.stringify([collection, name]))!,
    source: (source) => sources.get(source)!,
    sourceIdentifier: (source) => sourceIdentifiers.get(source)!,
    table: (source, schema, name) => tables.get(keyOf(source, schema, name))!,
    function: (source, schema, name) => functions.get(keyOf(source, schema, name))!,
  };
}

/** Names of the rules of an access file, for the places where they stand first: `agent_select` → `agentSelect`. */
export function nameRules(places: readonly string[], { identifier }: FileNames): readonly string[] {
  const identifiers = createRegister((name) => name);
  for (const taken of [...RESERVED, identifier, `${identifier}Access`]) identifiers.take(taken, taken);
  return places.map((place) => identifiers.take(safeIdentifier(place), place));
}

/** Files of the ledgers, in their order: `roles/user.txt`. */
export function nameLedgers(ledgers: readonly Ledger[]): readonly string[] {
  const files = createRegister((name) => name.toLowerCase());
  return ledgers.map(({ role }) => `${files.take(`roles/${safeFileName(role)}`, role)}.txt`);
}

function keyOf(source: string, schema: string, name: string): string {
  return JSON.stringify([source, schema, name]);
}

interface Register {
  has(name: string): boolean;
  /** The name, or when it is taken the name with a short hash of `origin`. */
  take(name: string, origin: string): string;
}

function createRegister(fold: (name: string) => string): Register {
  const taken = new Set<string>();
  const take = (name: string, origin: string): string => {
    let unique = name;
    for (let attempt = 0; taken.has(fold(unique)); attempt += 1)
      unique = `${name}_${shortHash(`${origin}${attempt || ''}`)}`;
    taken.add(fold(unique));
    return unique;
  };
  return { has: (name) => taken.has(fold(name)), take };
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

/** Names that Windows gives to devices. */
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/** The name if every file system accepts it, else its safe characters and a hash that keeps it apart from similar ones. */
function safeFileName(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 100);
  return safe === name && name !== '' && !DEVICES.test(name) ? name : `${safe}_${shortHash(name)}`;
}

function safeIdentifier(name: string): string {
  const camel = camelCase(name.replace(/[^A-Za-z0-9_]/g, '_'));
  const safe = /^[A-Za-z_$]/.test(camel) ? camel : `_${camel}`;
  return RESERVED.has(safe) ? `${safe}_` : safe;
}

/** Words of the language, and what generated files import and declare themselves. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'abstract any arguments as async await bigint boolean break case catch class const constructor continue debugger declare ' +
    'default delete do else enum eval export extends false finally for from function get if implements import in ' +
    'instanceof interface keyof let module namespace never new null number object of package private protected public ' +
    'readonly require return set static string super switch symbol this throw true try type typeof undefined unknown var ' +
    'void while with yield NaN Infinity exports globalThis ' +
    'access action actionTypes allowedDocuments allowlist cron cronTriggers customTypes declareSource events eventsProgram eventTrigger exact ' +
    'program remoteSchema restRoutes routes saved savedOperation schema source standardFields table trackedFunction EVERY_ROW Row Where'
  ).split(' '),
);

/** The file's name without folder and ending, for imports between the files of one table. */
export function fileName({ path }: FileNames): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
