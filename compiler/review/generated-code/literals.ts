/**
 * Reads generated files as syntax trees without running them: literals, imports of each other, and calls of the contract's
 * constructors, which only hold data together. The compiler writes no functions: a resolver written by hand is kept, and
 * noted, for a person to read.
 */
import { posix } from 'node:path';
import { ts } from 'ts-morph';
import * as contract from '../../../runtime/core/contract/contract.ts';
import type { Location } from '../../../runtime/core/diagnostics/diagnostic.ts';
import type { Files } from '../../phases/5-emit/index.ts';
import { GeneratedCodeError } from './place.ts';

export interface Literals {
  /** The exports of the entry. */
  readonly exports: Readonly<Record<string, unknown>>;
  /** Position of an object of the result; undefined if it is not from an object literal. */
  readonly locate: (value: object) => Location | undefined;
  /** Positions of functions that were written by hand. */
  readonly foreign: readonly Location[];
  /** What was read, for the next version: files with the same text and imports have the same values. */
  readonly read: ReadFiles;
}

interface ReadFiles {
  readonly modules: ReadonlyMap<string, ReadModule>;
  readonly places: WeakMap<object, Location>;
}

interface ReadModule {
  readonly text: string;
  readonly exports: Readonly<Record<string, Value>>;
  /** By path. */
  readonly imports: ReadonlyMap<string, ReadModule>;
  readonly foreign: readonly Location[];
}

/** Constructors of the contract: they take plain data and give it back, with what it belongs to. */
const CONSTRUCTORS = {
  access: contract.access,
  action: contract.action,
  allowedDocuments: contract.allowedDocuments,
  cronTriggers: contract.cronTriggers,
  customTypes: contract.customTypes,
  eventsProgram: contract.eventsProgram,
  eventTrigger: contract.eventTrigger,
  exact: contract.exact,
  program: contract.program,
  remoteSchema: contract.remoteSchema,
  restRoutes: contract.restRoutes,
  savedOperation: contract.savedOperation,
  source: contract.source,
  standardFields: contract.standardFields,
  table: contract.table,
  trackedFunction: contract.trackedFunction,
} as const;

// biome-ignore lint/suspicious/noExplicitAny: Values come from texts; the shape of the files says what they are.
type Value = any;

/**
 * @param known files of another version, whose values are taken over where they are the same: what is identical in two
 *   versions need not be compared
 * @throws GeneratedCodeError naming file and line of what is neither data nor a call of the contract
 */
export function readLiterals(files: Files, entry = 'index.ts', known?: ReadFiles): Literals {
  const modules = new Map<string, ReadModule>();
  const underWay = new Set<string>();
  const places = known?.places ?? new WeakMap<object, Location>();

  const read = (path: string): ReadModule => {
    const done = modules.get(path);
    if (done) return done;
    const text = files.get(path);
    if (text === undefined) throw new GeneratedCodeError(`The generated code lacks ${path}.`);
    if (underWay.has(path)) throw new GeneratedCodeError(`${path} imports itself through others.`);
    underWay.add(path);
    const earlier = known?.modules.get(path);
    const isSame =
      earlier?.text === text &&
      [...earlier.imports].every(([imported, value]) => files.has(imported) && read(imported) === value);
    const module = isSame ? earlier : parse(path, text);
    modules.set(path, module);
    underWay.delete(path);
    return module;
  };

  const parse = (path: string, text: string): ReadModule => {
    // Syntax alone, without ts-morph's objects for its nodes: large projects have millions.
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, false);
    const imports = new Map<string, ReadModule>();
    const foreign: Location[] = [];
    const take = (imported: string) => {
      const module = read(imported);
      imports.set(imported, module);
      return module.exports;
    };
    return { text, exports: readModule(source, path, take, foreign), imports, foreign };
  };

  const readModule = (
    source: ts.SourceFile,
    path: string,
    take: (path: string) => Readonly<Record<string, Value>>,
    foreign: Location[],
  ): Record<string, Value> => {
    const scope = new Map<string, Value>();
    const exports: Record<string, Value> = {};
    const fail = (node: ts.Node): never => {
      const { line } = placeIn(source, path, node);
      const excerpt = textOf(node, source).split('\n')[0]!.slice(0, 60);
      throw new GeneratedCodeError(
        `${path}:${line} is not what the compiler writes: ${excerpt}\nAn audit reads data only. Compile again, or undo the edit.`,
      );
    };
    const evaluate = createEvaluator(scope, source, path, { places, foreign, fail });
    for (const statement of source.statements) {
      if (ts.isImportDeclaration(statement)) {
        const specifier = (statement.moduleSpecifier as ts.StringLiteral).text;
        const imported =
          specifier === 'engine/contract'
            ? (contract as Record<string, Value>)
            : take(posix.join(posix.dirname(path), specifier));
        const { importClause } = statement;
        const named = importClause?.namedBindings;
        if (!importClause || importClause.isTypeOnly || !named || !ts.isNamedImports(named)) continue;
        for (const element of named.elements) {
          const { isTypeOnly, name, propertyName = name } = element;
          if (isTypeOnly) continue;
          if (!Object.hasOwn(imported, propertyName.text)) fail(element);
          scope.set(name.text, imported[propertyName.text]);
        }
      } else if (ts.isVariableStatement(statement)) {
        for (const { name, initializer } of statement.declarationList.declarations) {
          if (!initializer) return fail(statement);
          // An artefact is handed the contract.
          if (ts.isObjectBindingPattern(name)) {
            if (textOf(initializer, source) !== 'contract') fail(statement);
            for (const each of name.elements) {
              const own = (each.name as ts.Identifier).text;
              const given = each.propertyName ? textOf(each.propertyName, source) : own;
              scope.set(own, (contract as Record<string, Value>)[given]);
            }
            continue;
          }
          const value = evaluate(initializer);
          const own = textOf(name, source);
          scope.set(own, value);
          // Another file that imports what is not exported gets nothing when it runs.
          if (isExported(statement)) exports[own] = value;
        }
      } else if (ts.isReturnStatement(statement) && statement.expression) {
        exports.default = evaluate(statement.expression);
      } else if (ts.isExportAssignment(statement)) {
        exports.default = evaluate(statement.expression);
      } else if (!ts.isTypeAliasDeclaration(statement) && !ts.isInterfaceDeclaration(statement))
        fail(statement);
    }
    return exports;
  };

  const { exports } = read(entry);
  return {
    exports,
    locate: (value) => places.get(value),
    foreign: [...modules.values()].flatMap((module) => module.foreign),
    read: { modules, places },
  };
}

interface Notes {
  readonly places: WeakMap<object, Location>;
  readonly foreign: Location[];
  readonly fail: (node: ts.Node) => never;
}

function placeIn(source: ts.SourceFile, path: string, node: ts.Node): Location {
  const { line, character } = source.getLineAndCharacterOfPosition(node.getStart(source));
  return { file: path, line: line + 1, column: character + 1 };
}

function isExported({ modifiers }: ts.VariableStatement): boolean {
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function textOf(node: ts.Node, source: ts.SourceFile): string {
  return node.getText(source);
}

function createEvaluator(
  scope: ReadonlyMap<string, Value>,
  source: ts.SourceFile,
  path: string,
  { places, foreign, fail }: Notes,
): (node: ts.Node) => Value {
  const placeOf = (node: ts.Node): Location => placeIn(source, path, node);
  const evaluate = (node: ts.Node): Value => {
    if (ts.isStringLiteralLike(node)) return node.text;
    if (ts.isNumericLiteral(node)) return Number(node.text);
    switch (node.kind) {
      case ts.SyntaxKind.TrueKeyword:
        return true;
      case ts.SyntaxKind.FalseKeyword:
        return false;
      case ts.SyntaxKind.NullKeyword:
        return null;
    }
    if (ts.isPrefixUnaryExpression(node)) {
      if (node.operator !== ts.SyntaxKind.MinusToken || !ts.isNumericLiteral(node.operand)) return fail(node);
      return -Number(node.operand.text);
    }
    if (ts.isAsExpression(node)) return evaluate(node.expression);
    if (ts.isArrayLiteralExpression(node)) return node.elements.map(evaluate);
    if (ts.isIdentifier(node)) return scope.has(node.text) ? scope.get(node.text) : fail(node);
    if (ts.isObjectLiteralExpression(node)) {
      const entries = node.properties.flatMap((property): [string, Value][] => {
        // Standard root fields of which some are edited.
        if (ts.isSpreadAssignment(property)) return Object.entries(evaluate(property.expression));
        if (ts.isShorthandPropertyAssignment(property))
          return [[property.name.text, evaluate(property.name)]];
        if (!ts.isPropertyAssignment(property)) return fail(property);
        return [[propertyName(property.name), evaluate(property.initializer)]];
      });
      const value = Object.fromEntries(entries);
      places.set(value, placeOf(node));
      return value;
    }
    if (ts.isCallExpression(node)) return call(node);
    if (ts.isArrowFunction(node)) return foreignFunction(node);
    return fail(node);
  };
  const propertyName = (name: ts.PropertyName): string => {
    if (ts.isComputedPropertyName(name)) return evaluate(name.expression);
    if (ts.isNumericLiteral(name)) return String(Number(name.text));
    return name.text;
  };
  const call = (node: ts.CallExpression): Value => {
    const callee = scope.get(textOf(node.expression, source));
    const construct = Object.values(CONSTRUCTORS).find((each) => each === callee);
    if (!construct) return fail(node);
    const values = node.arguments.map(evaluate);
    const result = constructed(construct, values, node);
    if (typeof result === 'object' && !places.has(result)) places.set(result, placeOf(node));
    return result;
  };
  /** The server refuses to load what a constructor refuses. */
  const constructed = (construct: (...values: Value[]) => Value, values: Value[], node: ts.Node): Value => {
    try {
      return construct(...values);
    } catch (error) {
      throw new GeneratedCodeError(`${path}:${placeOf(node).line}: ${(error as Error).message}`);
    }
  };
  const foreignFunction = (node: ts.Node): Value => {
    foreign.push(placeOf(node));
    return () => {
      throw new GeneratedCodeError(`${path} holds a resolver written by hand.`);
    };
  };
  return evaluate;
}
