/** `engine build`: bundles a project into a file or folder that runs with `node` alone. */

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasErrors } from '../../runtime/core/diagnostics/diagnostic.ts';
import { nearest } from '../../runtime/core/diagnostics/nearest.ts';
import { proofsOf } from '../../runtime/core/program/proof.ts';
import type { GeneratedProgram } from '../../runtime/core/program/resolvers.ts';
import { fileProblem } from '../../runtime/core/reasons.ts';
import { ADMIN_ROLE } from '../../runtime/core/session.ts';
import type { Metadata } from '../../runtime/metadata/metadata.ts';
import type { ArtefactSource } from '../../runtime/program/artefact/artefact.ts';
import { subjectText } from '../../runtime/program/verify/prove.ts';
import { fingerprintOf } from '../../runtime/program/verify/verify.ts';
import { type Bundle, bundleArtefact, compiledForm, launcher, oneFile } from '../artefact/bundle.ts';
import { publicConnection } from '../artefact/public-connection.ts';
import { PROGRAM } from '../artefact/readable.ts';
import { plannedRoles, selectRoles } from '../artefact/select-roles.ts';
import { type CompileResult, version } from '../index.ts';
import { createMemory } from '../memory/memory.ts';
import { startProgress } from '../offline/progress.ts';
import { programOf } from '../phases/4-plan/program.ts';
import { emitFiles, type Files } from '../phases/5-emit/index.ts';
import { type CommandContext, UsageError } from './command.ts';
import { type CompileOptions, compileProject, isUnreadable } from './compile-command.ts';
import { reportCompile } from './compile-report.ts';
import { OutputFolderError } from './output-folder.ts';
import { withProject } from './project.ts';

export interface BuildOptions extends Omit<CompileOptions, 'check'> {
  /** Comma-separated. */
  readonly roles?: string;
}

const SERVER = 'server.mjs';
const COMPILED = 'program.cache';
const MANIFEST = 'manifest.json';

/** Runs the command and returns its exit status: 1 for errors in the input, and then nothing is written. */
export function buildCommand(options: BuildOptions, context: CommandContext): Promise<number> {
  const progress = startProgress(context);
  return withProject(options, context, progress, async (project) => {
    const { read } = project;
    const compiled = await compileProject(project, options, context, progress);
    const { result, diagnostics, defects, environment } = compiled;
    const refused = hasErrors(diagnostics) && !options.allowInconsistent;
    if (!result || refused || isUnreadable(diagnostics) || defects.length > 0) {
      progress.end();
      reportCompile({ ...compiled, ...reportOptions(options, context), origin: read.origin });
      return 1;
    }
    const roles = options.roles === undefined ? undefined : chooseRoles(options.roles, result);
    const plan = roles ? selectRoles(result.state.plan, roles) : result.state.plan;
    const files = roles ? emitFiles(undefined, createMemory(), plan, [], [], version).files : result.files;
    progress.step('bundling');
    const program = { ...programOf(plan), ...(plan.saved && { saved: plan.saved }) };
    const refusedBefore = refusedOf(program, compiled.refused);
    const bundle = await bundleArtefact(files, {
      format: 1,
      engine: version,
      fingerprint: fingerprintOf(program),
      ...(refusedBefore.length > 0 && { refused: refusedBefore }),
      ...(roles && { roles }),
      sources: describeSources(read.value),
      environment: environment.map(({ name }) => name),
    });
    progress.end();
    reportCompile({ ...compiled, ...reportOptions(options, context), origin: read.origin, built: true });
    write(options.out, bundle, files);
    const { program: text, manifest } = bundle;
    const size = (Buffer.byteLength(text) / 1e6).toFixed(1);
    const tell = options.format === 'text' ? context.stdout : context.stderr;
    tell(`${options.out}: ${size} MB, ${roles ? `roles ${roles.join(', ')}` : 'every role'}\n`);
    tell(`hash        ${manifest.hash}\nfingerprint ${manifest.fingerprint}\n`);
    return 0;
  });
}

function reportOptions({ format, out }: BuildOptions, context: CommandContext) {
  // Standard output describes the artefact only.
  const quiet = format === 'text' ? { ...context, stdout: context.stderr } : context;
  return { format, out, check: false, context: quiet, difference: undefined };
}

/** @throws UsageError naming the nearest role */
function chooseRoles(list: string, { state }: CompileResult): string[] {
  const known = [...plannedRoles(state.plan), ADMIN_ROLE];
  const roles = [...new Set(list.split(',').map((role) => role.trim()))].filter((role) => role !== '').sort();
  if (roles.length === 0) throw new UsageError('The list of --roles is empty.');
  for (const role of roles) {
    if (known.includes(role)) continue;
    const near = nearest(role, known);
    throw new UsageError(
      `The metadata has no role "${role}".${near === undefined ? '' : ` Did you mean "${near}"?`}`,
    );
  }
  return roles;
}

/** Those of the refused statements that are in the program: what is about other roles must not be named. */
function refusedOf(program: GeneratedProgram, refused: readonly string[]): string[] {
  const own = new Set(proofsOf(program).flatMap(({ subjects }) => subjects.map(subjectText)));
  return [...new Set(refused)].filter((text) => own.has(text));
}

function describeSources({ sources }: Metadata): ArtefactSource[] {
  return sources.map(({ name, configuration }) => {
    const connection = publicConnection(configuration.connection_info);
    return { name, ...(connection && { connection }) };
  });
}

/** @throws OutputFolderError if the place is taken by something else, or cannot be written */
function write(out: string, bundle: Bundle, files: Files): void {
  try {
    if (out.endsWith('.mjs')) {
      mkdirSync(dirname(out), { recursive: true });
      writeFileSync(out, oneFile(bundle), { mode: 0o755 });
      return;
    }
    if (existsSync(out) && readdirSync(out).length > 0 && !existsSync(join(out, SERVER)))
      throw new OutputFolderError(`The folder ${out} holds something else. Choose an empty or new folder.`);
    rmSync(join(out, 'generated'), { recursive: true, force: true });
    for (const [path, content] of files) {
      mkdirSync(dirname(join(out, 'generated', path)), { recursive: true });
      writeFileSync(join(out, 'generated', path), content);
    }
    writeFileSync(join(out, MANIFEST), `${JSON.stringify(bundle.manifest, null, 2)}\n`);
    // The compiled form last: one that was made of another text is not used.
    writeFileSync(join(out, SERVER), launcher(), { mode: 0o755 });
    writeFileSync(join(out, PROGRAM), bundle.program);
    writeFileSync(join(out, COMPILED), compiledForm(bundle.program));
  } catch (error) {
    if (error instanceof OutputFolderError) throw error;
    throw new OutputFolderError(`Cannot write to ${out}: ${fileProblem(error)}.`);
  }
}
