/** An exported name means one thing, so that an import says which. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The page of the console is a separate program, bundled for browsers: its names are compared with each other only. */
const PAGE = 'runtime/console/page/';

/** Names that two files may export, because no file imports both: by name, the only files that export it. */
const PERMITTED: Readonly<Record<string, readonly string[]>> = {
  // What generated files call to declare something, and the codec of the metadata entry that it comes from.
  cronTriggers: ['runtime/core/contract/events.ts', 'runtime/metadata/kinds/cron-trigger.ts'],
  customTypes: ['runtime/core/action/shapes.ts', 'runtime/metadata/kinds/custom-types.ts'],
  eventTrigger: ['runtime/core/contract/events.ts', 'runtime/metadata/kinds/event-trigger.ts'],
  remoteSchema: ['runtime/core/remotes/shapes.ts', 'runtime/metadata/kinds/remote-schema.ts'],
  // The codec of a metadata entry, and the HTTP endpoints.
  restEndpoints: ['runtime/http/rest.ts', 'runtime/metadata/kinds/query-collection.ts'],
  // Readers of a type: options are texts of the environment, metadata is JSON.
  boolean: ['runtime/configuration/values.ts', 'runtime/metadata/values.ts'],
  integer: ['runtime/configuration/values.ts', 'runtime/metadata/values.ts'],
  json: ['runtime/configuration/values.ts', 'runtime/metadata/values.ts'],
  list: ['runtime/configuration/values.ts', 'runtime/metadata/combinators.ts'],
  text: ['runtime/configuration/values.ts', 'runtime/metadata/values.ts'],
};

interface Module {
  readonly file: string;
  readonly exports: ReadonlySet<string>;
  /** `a as b` of imports and exports of the project's files. */
  readonly aliases: readonly string[];
}

function readModule(file: string): Module {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest);
  const exports = new Set<string>();
  const aliases: string[] = [];
  for (const statement of source.statements) {
    const names = importedOrExported(statement);
    for (const { propertyName, name } of names)
      if (propertyName) aliases.push(`${file}: ${propertyName.text} as ${name.text}`);
    if (!ts.canHaveModifiers(statement)) continue;
    if (!statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) continue;
    if (ts.isVariableStatement(statement))
      for (const { name } of statement.declarationList.declarations) addNames(name, exports);
    else if ('name' in statement && statement.name) exports.add((statement.name as ts.Identifier).text);
  }
  return { file, exports, aliases };
}

/** The names that a declaration binds: `a`, or those of a pattern `{ a, b: c }`. */
function addNames(name: ts.BindingName, names: Set<string>): void {
  if (ts.isIdentifier(name)) names.add(name.text);
  else
    for (const element of name.elements) if (!ts.isOmittedExpression(element)) addNames(element.name, names);
}

/** Names between the braces of `import {…} from './…'` and `export {…}`. */
function importedOrExported(statement: ts.Statement): readonly (ts.ImportSpecifier | ts.ExportSpecifier)[] {
  if (ts.isExportDeclaration(statement))
    return statement.exportClause && ts.isNamedExports(statement.exportClause)
      ? [...statement.exportClause.elements]
      : [];
  if (!ts.isImportDeclaration(statement)) return [];
  const bindings = statement.importClause?.namedBindings;
  const isOwn = (statement.moduleSpecifier as ts.StringLiteral).text.startsWith('.');
  return isOwn && bindings && ts.isNamedImports(bindings) ? [...bindings.elements] : [];
}

const modules = ['compiler', 'runtime']
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  .sort()
  .map(readModule);

/** Files by exported name, for names of several files. */
function repeated(files: readonly Module[]): Record<string, readonly string[]> {
  const byName = new Map<string, string[]>();
  for (const { file, exports } of files)
    for (const name of exports) byName.set(name, [...(byName.get(name) ?? []), file]);
  return Object.fromEntries([...byName].filter(([, places]) => places.length > 1));
}

test('an exported name of the compiler or the runtime is exported by one file, except those that are listed', () => {
  expect(modules.length).toBeGreaterThan(700);
  expect(repeated(modules.filter(({ file }) => !file.startsWith(PAGE)))).toEqual(PERMITTED);
});

test('an exported name of the console page is exported by one of its files', () => {
  expect(repeated(modules.filter(({ file }) => file.startsWith(PAGE)))).toEqual({});
});

test('no file of the compiler or the runtime imports a name of another file under an alias', () => {
  expect(modules.flatMap(({ aliases }) => aliases)).toEqual([]);
});
