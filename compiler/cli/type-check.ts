/** Type-checks generated files against the contract. They are our work, so an error here is our defect. */
import { fileURLToPath } from 'node:url';
import { Project, ts } from 'ts-morph';
import { lazy } from '../../runtime/core/remember.ts';

/** The sources in a checkout, the declarations in a package. */
const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.d.ts';
const contract = fileURLToPath(new URL(`../../runtime/core/contract/contract${extension}`, import.meta.url));
/** The files are checked as if they stood here; nothing is written. */
const folder = fileURLToPath(new URL('../../generated-check', import.meta.url));

/** An error in a generated file; the line counts from 1. */
export interface TypeError {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** One for a process: the files that are not generated (TypeScript's library, the contract) are parsed once. */
const project = lazy(
  () =>
    new Project({
      skipAddingFilesFromTsConfig: true,
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        lib: ['lib.es2023.d.ts'],
        module: ts.ModuleKind.NodeNext,
        moduleResolution: ts.ModuleResolutionKind.NodeNext,
        noEmit: true,
        strict: true,
        noUncheckedIndexedAccess: true,
        exactOptionalPropertyTypes: true,
        verbatimModuleSyntax: true,
        erasableSyntaxOnly: true,
        allowImportingTsExtensions: true,
        skipLibCheck: true,
        types: [],
        paths: { 'engine/contract': [contract] },
      },
    }),
);

/** Checks the TypeScript files among the given ones. Takes seconds and some 400 MB for a thousand tables. */
export function checkTypes(files: ReadonlyMap<string, string>): TypeError[] {
  const sources = [...files].flatMap(([path, text]) =>
    path.endsWith('.ts') ? [[path, project().createSourceFile(`${folder}/${path}`, text)] as const] : [],
  );
  const program = project().getProgram().compilerObject;
  const errors = sources.flatMap(([file, source]) =>
    [
      ...program.getSyntacticDiagnostics(source.compilerNode),
      ...program.getSemanticDiagnostics(source.compilerNode),
    ].map((diagnostic) => ({
      file,
      line: source.compilerNode.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line + 1,
      message: ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'),
    })),
  );
  for (const [, source] of sources) source.forget();
  return errors;
}
