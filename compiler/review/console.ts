/** Answers the console's questions that need the generated code: paths to columns, places, whole matrices. */
import type { Reviews } from '../../runtime/console/preview-change.ts';
import type { PermissionQuestion, WhoAnswer } from '../../runtime/console/questions.ts';
import { ruleLayout } from '../../runtime/core/condition/words.ts';
import { EngineError } from '../../runtime/core/errors.ts';
import type { Table } from '../../runtime/core/program/program.ts';
import { extract } from '../artefact/readable.ts';
import type { Files } from '../phases/5-emit/index.ts';
import { describeAction } from './action-definition.ts';
import { auditMatrix, type Matrix } from './audit/matrix.ts';
import { unreadSentences } from './audit/sent.ts';
import { whoCan } from './audit/who.ts';
import { differenceOf } from './console-difference.ts';
import { operationAnswer, operationsAnswer } from './console-operations.ts';
import { type GeneratedCode, readTexts } from './generated-code/index.ts';
import { GeneratedCodeError } from './generated-code/place.ts';
import { placesOf } from './places.ts';
import { createPreview } from './preview.ts';
import { readPrintedMatrix } from './printed-matrix.ts';

const FOLDER = 'generated';

/**
 * The reviews of a server's console. They keep what they read of the served version: reading takes a second or two if there
 * are thousands of permissions.
 */
export function openReviews(): Reviews {
  let last: { readonly files: Files; readonly code: GeneratedCode } | undefined;
  const read = (files: Files): GeneratedCode => {
    if (last?.files !== files)
      last = { files, code: readTexts({ label: 'the served program', folder: FOLDER, files }) };
    return last.code;
  };
  return {
    answerPermissions: (files, question) =>
      question.kind === 'places'
        ? JSON.stringify(placesOf(files, question.object, FOLDER))
        : answerOfCode(read(files), question),
    previewChange: createPreview(),
    describeAction,
  };
}

/** Answers with JSON; `null` for what is not served. @throws EngineError if a version to compare with cannot be read */
function answerOfCode(
  code: GeneratedCode,
  question: Exclude<PermissionQuestion, { readonly kind: 'places' }>,
): string {
  switch (question.kind) {
    case 'difference':
      return JSON.stringify(
        differenceOf(readVersion(question.text), auditMatrix(code), code.program.vocabulary),
      );
    case 'matrix':
      return JSON.stringify(auditMatrix(code));
    case 'operations':
      return JSON.stringify(operationsAnswer(code));
    case 'operation':
      return JSON.stringify(operationAnswer(code, question.collection, question.name) ?? null);
    case 'who': {
      const { source, table: key, column } = question;
      const table = code.program.tables.find((each) => each.source.name === source && each.key === key);
      if (!table || !Object.hasOwn(table.shape.columns, column)) return 'null';
      return JSON.stringify(whoOf(code, table, column));
    }
  }
}

/** @throws EngineError bad-request for a printed matrix that was edited to something else */
/** The matrix of an artefact, or one that was printed. @throws EngineError bad-request */
function readVersion(text: string): Matrix {
  const entry = 'artefact.mjs';
  const code = extract(text);
  if (code === undefined) return readPrinted(text);
  try {
    return auditMatrix(
      readTexts({ label: 'the artefact', folder: '.', files: new Map([[entry, code]]), entry }),
    );
  } catch (error) {
    if (error instanceof GeneratedCodeError) throw refused(error.message.split('\n')[0]!);
    // Data of another shape fails somewhere in the middle.
    throw refused('the artefact is damaged, or of another version of the compiler', error);
  }
}

function readPrinted(text: string): Matrix {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refused('the file is neither an artefact with generated code nor JSON');
  }
  const matrix = readPrintedMatrix(value);
  if ('problem' in matrix) throw refused(`the file is no matrix of permissions: ${matrix.problem}`);
  return matrix;
}

function refused(message: string, cause?: unknown): EngineError {
  const expected = 'give what engine build writes, or engine audit matrix --format json';
  const internal = cause instanceof Error ? { internal: { message: cause.message } } : {};
  return new EngineError('bad-request', `${message}; ${expected}`, { path: '$', ...internal });
}

function whoOf(code: GeneratedCode, table: Table, column: string): WhoAnswer {
  const found = whoCan(code, table, column);
  const paths = found.paths.map((path) => ({
    ...path,
    rules: path.rules.map((rule) => ({ ...rule, words: ruleLayout(rule.text, code.program.vocabulary) })),
  }));
  const { source, table: key, type, sent, unread } = found;
  return { source, table: key, column, type, paths, sent, limits: unreadSentences(unread) };
}
