/** The writes as one would write them by hand: the files of floor/helpdesk/write/. */
import { readFileSync } from 'node:fs';
import { PARAMETER, type ValueSource } from './statements.ts';
import type { WriteCase } from './write-cases.ts';

/** Several statements are a transaction. The first column of the last one is the root field's JSON. */
export interface HandwrittenWrite {
  readonly field: string;
  readonly statements: readonly {
    readonly name: string;
    readonly text: string;
    readonly values: readonly (ValueSource | { readonly from: 'result' })[];
  }[];
}

/** Between the statements of a file. A parameter that is a `result` is the first column of the first statement. */
const THEN = /^-- then$/m;

export function handwrittenWrite({ name, field }: WriteCase): HandwrittenWrite {
  const file = new URL(`floor/helpdesk/write/${name.replaceAll(' ', '-')}.sql`, import.meta.url);
  const statements = readFileSync(file, 'utf8')
    .split(THEN)
    .map((text, index) => ({
      name: `floor ${name} ${index}`,
      text,
      values: [...text.matchAll(PARAMETER)].map(([, , from, value]): ValueSource | { from: 'result' } => {
        if (from === 'result') return { from };
        if (from === 'session') return { from, name: value! };
        return { from: 'variable', name: value!, fallback: null };
      }),
    }));
  return { field, statements };
}
