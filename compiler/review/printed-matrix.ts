/** Reads a matrix of permissions that `engine audit matrix --format json` printed. Keys that are not compared may be any. */
import { z } from 'zod';
import { OPERATIONS, type ShownAspect } from '../../runtime/core/contract/aspects.ts';
import { valueProblem } from '../../runtime/core/reasons.ts';
import type { Matrix } from './audit/matrix.ts';

const text = z.string();
const texts = z.array(text);
const byName = z.record(text, text);
const textsByRole = z.record(text, texts);

const ASPECTS: Readonly<Record<ShownAspect, z.ZodType>> = {
  columns: texts,
  computedFields: texts,
  where: text,
  check: text,
  checkMessage: text,
  limit: z.number(),
  aggregations: z.boolean(),
  backendOnly: z.boolean(),
  validateInput: z.looseObject({ url: text }),
  presets: byName,
  cells: byName,
};

const MATRIX = z.looseObject({
  tables: z.array(z.looseObject({ source: text, key: text, name: text })),
  permissions: z.array(
    z.looseObject({
      ...{ source: text, table: text, role: text },
      operation: z.enum(OPERATIONS),
      fields: texts,
      roots: z.array(z.looseObject({ root: text, kind: text })),
      ...Object.fromEntries(Object.entries(ASPECTS).map(([aspect, type]) => [aspect, type.optional()])),
    }),
  ),
  functions: z.array(z.looseObject({ source: text, key: text, name: text, fields: textsByRole })),
  actions: z.array(z.looseObject({ name: text, roles: texts })),
  remoteSchemas: z.array(z.looseObject({ name: text, roles: textsByRole })),
});

/** @returns the matrix, or what is wrong with the value */
export function readPrintedMatrix(value: unknown): Matrix | { readonly problem: string } {
  const { data, error } = MATRIX.safeParse(value);
  return error ? { problem: valueProblem(value, error.issues[0]!) } : (data as unknown as Matrix);
}
