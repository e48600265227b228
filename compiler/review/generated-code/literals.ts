/**
 * Reads generated files through ts-morph without running them: literals, imports of each other, and calls of the contract's
 * constructors, which only hold data together. The compiler writes no functions: a resolver written by hand is kept, and
 * noted, for a person to read.
 */
import { posix } from 'node:path';
import { type Node, Project, type SourceFile, ts } from 'ts-morph';
import * as contract from '../../../runtime/core/contract.ts';
import type { Location } from '../../../runtime/diagnostics/diagnostic.ts';
import type { Files } from '../../phases/5-emit/index.ts';
import { GeneratedCodeError } from './place.ts';

export interface Literals {
  /** The default export of the entry. */
  readonly program: unknown;
  /** Position of an object of the result; undefined if it is not from an object literal. */
  readonly locate: (value: object) => Location | undefined;
  /** Positions of functions that were written by hand. */
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
  program: contract.program,
  remoteSchema: contract.remoteSchema,
  restRoutes: contract.restRoutes,
  savedOperation: contract.savedOperation,
  source: contract.source,
  table: contract.table,
  trackedFunction: contract.trackedFunction,
} as const;

// biome-ignore lint/suspicious/noExplicitAny: Values come from texts; the shape of the files says what they are.
type Value = any;

/** @throws GeneratedCodeError naming file and line of what is neither data nor a call of the contract */
export function readLiterals(files: Files, entry = 'index.ts'): Literals {
  const project = new Project({
    useInMemoryFileSystem: true,
    skipAddingFilesFromTsConfig: true,
    skipLoadingLibFiles: true,
    compilerOptions: { target: ts.ScriptTarget.ES2023 },
  });
  const modules = new Map<string, Record<string, Value>>();
  const underWay = new Set<string>();
  const places = new WeakMap<object, Location>();
  const foreign: Location[] = [];

  const read = (path: string): Record<string, Value> => {
    const known = modules.get(path);
    if (known) return known;
    const text = files.get(path);
    if (text === undefined) throw new GeneratedCodeError(`The generated code lacks ${path}.`);
    if (underWay.has(path)) throw new GeneratedCodeError(`${path} imports itself through others.`);
    underWay.add(path);
    const source = project.createSourceFile(`/${path}`, text);
    const exports = readModule(source, path);
    modules.set(path, exports);
    underWay.delete(path);
    // The tree of a file is big and read once.
    source.forget();
    return exports;
  };

  const readModule = (source: SourceFile, path: string): Record<string, Value> => {
    const scope = new Map<string, Value>();
    const exports: Record<string, Value> = {};
    const fail = (node: Node): never => {
      const { line } = source.getLineAndColumnAtPos(node.getStart());
      const excerpt = node.getText().split('\n')[0]!.slice(0, 60);
      throw new GeneratedCodeError(
        `${path}:${line} is not what the compiler writes: ${excerpt}\nAn audit reads data only. Compile again, or undo the edit.`,
      );
    };
    const evaluate = createEvaluator(scope, source, path, { places, foreign, fail });
    for (const statement of source.getStatements()) {
      if (statement.isKind(ts.SyntaxKind.ImportDeclaration)) {
        const specifier = statement.getModuleSpecifierValue();
        const imported =
          specifier === 'engine/contract'
            ? (contract as Record<string, Value>)
            : read(posix.join(posix.dirname(path), specifier));
        for (const name of statement.getNamedImports()) {
          if (name.isTypeOnly() || statement.isTypeOnly()) continue;
          scope.set(name.getAliasNode()?.getText() ?? name.getName(), imported[name.getName()]);
        }
      } else if (statement.isKind(ts.SyntaxKind.VariableStatement)) {
        for (const declaration of statement.getDeclarations()) {
          const names = declaration.getNameNode();
          // An artefact is handed the contract.
          if (names.isKind(ts.SyntaxKind.ObjectBindingPattern)) {
            if (declaration.getInitializerOrThrow().getText() !== 'contract') fail(declaration);
            for (const each of names.getElements()) {
              const name = each.getPropertyNameNode()?.getText() ?? each.getName();
              scope.set(each.getName(), (contract as Record<string, Value>)[name]);
            }
            continue;
          }
          const value = evaluate(declaration.getInitializerOrThrow());
          scope.set(declaration.getName(), value);
          exports[declaration.getName()] = value;
        }
      } else if (statement.isKind(ts.SyntaxKind.ReturnStatement)) {
        exports.default = evaluate(statement.getExpressionOrThrow());
      } else if (statement.isKind(ts.SyntaxKind.ExportAssignment)) {
        exports.default = evaluate(statement.getExpression());
      } else if (
        !statement.isKind(ts.SyntaxKind.TypeAliasDeclaration) &&
        !statement.isKind(ts.SyntaxKind.InterfaceDeclaration)
      )
        fail(statement);
    }
    return exports;
  };

  return { program: read(entry).default, locate: (value) => places.get(value), foreign };
}

interface Notes {
  readonly places: WeakMap<object, Location>;
  readonly foreign: Location[];
  readonly fail: (node: Node) => never;
}

function createEvaluator(
  scope: ReadonlyMap<string, Value>,
  source: SourceFile,
  path: string,
  { places, foreign, fail }: Notes,
): (node: Node) => Value {
  const placeOf = (node: Node): Location => ({
    file: path,
    ...source.getLineAndColumnAtPos(node.getStart()),
  });
  const evaluate = (node: Node): Value => {
    if (node.isKind(ts.SyntaxKind.StringLiteral) || node.isKind(ts.SyntaxKind.NoSubstitutionTemplateLiteral))
      return node.getLiteralValue();
    if (node.isKind(ts.SyntaxKind.NumericLiteral)) return node.getLiteralValue();
    if (node.isKind(ts.SyntaxKind.TrueKeyword)) return true;
    if (node.isKind(ts.SyntaxKind.FalseKeyword)) return false;
    if (node.isKind(ts.SyntaxKind.NullKeyword)) return null;
    if (node.isKind(ts.SyntaxKind.PrefixUnaryExpression)) {
      const operand = node.getOperand();
      if (
        node.getOperatorToken() !== ts.SyntaxKind.MinusToken ||
        !operand.isKind(ts.SyntaxKind.NumericLiteral)
      )
        return fail(node);
      return -operand.getLiteralValue();
    }
    if (node.isKind(ts.SyntaxKind.AsExpression)) return evaluate(node.getExpression());
    if (node.isKind(ts.SyntaxKind.ArrayLiteralExpression)) return node.getElements().map(evaluate);
    if (node.isKind(ts.SyntaxKind.Identifier)) {
      const name = node.getText();
      return scope.has(name) ? scope.get(name) : fail(node);
    }
    if (node.isKind(ts.SyntaxKind.ObjectLiteralExpression)) {
      const entries = node.getProperties().map((property): [string, Value] => {
        if (property.isKind(ts.SyntaxKind.ShorthandPropertyAssignment)) {
          const name = property.getName();
          return [name, evaluate(property.getNameNode())];
        }
        if (!property.isKind(ts.SyntaxKind.PropertyAssignment)) return fail(property);
        return [propertyName(property.getNameNode()), evaluate(property.getInitializerOrThrow())];
      });
      const value = Object.fromEntries(entries);
      places.set(value, placeOf(node));
      return value;
    }
    if (node.isKind(ts.SyntaxKind.CallExpression))
      return call(node.getExpression(), node.getArguments(), node);
    if (node.isKind(ts.SyntaxKind.ArrowFunction)) return foreignFunction(node);
    return fail(node);
  };
  const propertyName = (node: Node): string => {
    if (node.isKind(ts.SyntaxKind.ComputedPropertyName)) return evaluate(node.getExpression());
    if (node.isKind(ts.SyntaxKind.StringLiteral)) return node.getLiteralValue();
    if (node.isKind(ts.SyntaxKind.NumericLiteral)) return String(node.getLiteralValue());
    return node.getText();
  };
  const call = (callee: Node, args: readonly Node[], node: Node): Value => {
    const construct = Object.values(CONSTRUCTORS).find((each) => each === scope.get(callee.getText()));
    if (!construct) return fail(node);
    const values = args.map(evaluate);
    const result = (construct as (...values: Value[]) => Value)(...values);
    if (typeof result === 'object' && !places.has(result)) places.set(result, placeOf(node));
    return result;
  };
  const foreignFunction = (node: Node): Value => {
    foreign.push(placeOf(node));
    return () => {
      throw new GeneratedCodeError(`${path} holds a resolver written by hand.`);
    };
  };
  return evaluate;
}
