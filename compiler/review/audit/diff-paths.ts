/** Compares ways to values that a role may not read, to rows of functions, and to related rows that updates change. */
import type { GeneratedCode } from '../generated-code/index.ts';
import { beyond } from './beyond.ts';
import type { Finding } from './finding.ts';
import type { PathScope } from './path.ts';
import { waysToRows } from './ways.ts';
import { hiddenPaths } from './who.ts';
import { relatedWays } from './write-paths.ts';

interface Way {
  readonly subject: Finding['subject'];
  readonly role: string;
  readonly source: string;
  readonly table: string;
  /** What leads there, as data: a relationship that only got another name leads to the same value. */
  readonly by: readonly unknown[];
  readonly text: string;
  /** The role may do it without this way, too. */
  readonly isNoMore?: true;
}

/** Ways that are new are wider, those that are gone are narrower. */
export function pathFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const [before, after] = [waysOf(base), waysOf(head)];
  return [
    ...beyond(after, before, identityOf).map(
      ({ text, isNoMore, by: _, ...way }): Finding => ({
        ...{ verdict: isNoMore ? 'not wider' : 'wider', ...way, text: `may now ${text}` },
      }),
    ),
    ...beyond(before, after, identityOf).map(
      ({ text, isNoMore: _, by: __, ...way }): Finding => ({
        ...{ verdict: 'narrower', ...way, text: `may no longer ${text}` },
      }),
    ),
  ];
}

function identityOf({ text: _, isNoMore: __, ...way }: Way): unknown {
  return way;
}

function waysOf(code: GeneratedCode): Way[] {
  const found: Way[] = [];
  for (const role of code.roles) {
    const scope: PathScope = {
      code,
      program: code.program,
      roleSchema: code.program.roleSchema(role, true),
      role,
    };
    for (const table of code.program.tables) {
      const add = (subject: Way['subject'], by: Way['by'], text: string, isNoMore = false) => {
        const [source, key] = [table.source.name, table.key];
        found.push({ ...{ subject, role, source, table: key, by, text }, ...(isNoMore && { isNoMore }) });
      };
      for (const column of Object.keys(table.shape.columns))
        for (const { fields, via, note } of hiddenPaths(scope, table, column))
          add('columns', [via, column, note], `learn ${column} by ${fields.join(', ')}`);
      for (const { fields } of waysToRows(scope, table).computedFields)
        for (const field of fields) add('columns', [field], `reach rows by the computed field ${field}`);
      for (const { from, relationship, operation } of relatedWays(scope, table)) {
        const given = scope.roleSchema.table(table).insert?.columns ?? [];
        // An insert fills in the columns of the relationship, whether or not the role may give them.
        const isNoMore =
          operation !== 'insert' || relationship.columns.every(([, { name }]) => given.includes(name));
        const text = `${operation} rows with updates of ${from.key}, along ${relationship.name}`;
        add('operations', [operation, from.key, relationship.name], text, isNoMore);
      }
    }
  }
  return found;
}
