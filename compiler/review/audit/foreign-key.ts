/** Definitions of foreign keys, as PostgreSQL writes them. */

import { isQuotedName, unquoted } from '../../../runtime/core/condition/tokens.ts';
import type { QualifiedName } from '../../../runtime/core/names.ts';

const NAME = '(?:[a-z_][a-z0-9_]*|"(?:[^"]|"")+")';
const LIST = `\\((${NAME}(?:, ${NAME})*)\\)`;
const FOREIGN_KEY = new RegExp(`^FOREIGN KEY ${LIST} REFERENCES (${NAME})\\.(${NAME})${LIST}(.*)$`, 's');

export interface ForeignKey {
  readonly columns: readonly string[];
  readonly target: QualifiedName;
  readonly targetColumns: readonly string[];
  /** Actions and exceptions: ` ON DELETE CASCADE NOT VALID`. */
  readonly options: string;
}

/** @param definition `FOREIGN KEY (a) REFERENCES b.c(d)` with options; undefined: columns of another kind, as those of a PERIOD */
export function readForeignKey(definition: string): ForeignKey | undefined {
  const [, columns, schema, name, targetColumns, options] = FOREIGN_KEY.exec(definition) ?? [];
  if (columns === undefined) return undefined;
  return {
    columns: namesOf(columns),
    target: { schema: plain(schema!), name: plain(name!) },
    targetColumns: namesOf(targetColumns!),
    options: options!,
  };
}

function namesOf(list: string): string[] {
  return [...list.matchAll(new RegExp(NAME, 'g'))].map(([name]) => plain(name));
}

function plain(name: string): string {
  return isQuotedName(name) ? unquoted(name) : name;
}
