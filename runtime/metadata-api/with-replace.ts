import { z } from 'zod';
import { boolean, isObject } from '../metadata/schemas/shared.ts';
import { validateNested } from '../metadata/validate.ts';

/** The schema of an entry, with `replace` beside its keys. */
export function withReplace<Entry>(entry: z.ZodType<Entry>): z.ZodType<{ entry: Entry; replace: boolean }> {
  return z.unknown().transform((input, context) => {
    const { replace, ...rest } = isObject(input) ? input : {};
    const value = validateNested(entry, isObject(input) ? rest : input, context);
    const flag = replace === undefined || replace === null ? false : boolean.safeParse(replace);
    if (typeof flag === 'object' && !flag.success) {
      const message = 'parsing Bool failed, expected Bool';
      context.issues.push({ code: 'custom', message, path: ['replace'], input });
      return z.NEVER;
    }
    return value === undefined ? z.NEVER : { entry: value, replace: replace === true };
  }) as z.ZodType<{ entry: Entry; replace: boolean }>;
}
