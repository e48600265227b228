/** Compares ways to values that a role may not read, to rows of functions, and to related rows that updates change. */
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
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
  readonly text: string;
  /** The role may do it without this way, too. */
  readonly isNoMore?: true;
}

/** Ways that are new are wider, those that are gone are narrower. */
export function pathFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const [before, after] = [waysOf(base), waysOf(head)];
  const beyond = (some: ReadonlyMap<string, Way>, others: ReadonlyMap<string, Way>) =>
    [...some].flatMap(([key, way]) => (others.has(key) ? [] : [way]));
  return [
    ...beyond(after, before).map(
      ({ text, isNoMore, ...way }): Finding => ({
        ...{ verdict: isNoMore ? 'not wider' : 'wider', ...way, text: `may now ${text}` },
      }),
    ),
    ...beyond(before, after).map(
      ({ text, isNoMore: _, ...way }): Finding => ({
        ...{ verdict: 'narrower', ...way, text: `may no longer ${text}` },
      }),
    ),
  ];
}

function waysOf(code: GeneratedCode): Map<string, Way> {
  const found = new Map<string, Way>();
  for (const role of code.roles) {
    if (role === ADMIN_ROLE) continue;
    const scope: PathScope = {
      code,
      program: code.program,
      roleSchema: code.program.roleSchema(role, true),
      role,
    };
    for (const table of code.program.tables) {
      const add = (text: string, what: string, subject: Finding['subject'] = 'columns', isNoMore = false) => {
        const way = { subject, role, source: table.source.name, table: table.key };
        // A relationship that only got another name leads to the same value.
        found.set(JSON.stringify([way, what]), { ...way, text, ...(isNoMore && { isNoMore }) });
      };
      for (const column of Object.keys(table.shape.columns))
        for (const { fields, via, note = '' } of hiddenPaths(scope, table, column))
          add(`learn ${column} by ${fields.join(', ')}`, `${via} ${column} ${note}`);
      for (const { fields } of waysToRows(scope, table).computedFields)
        for (const field of fields) add(`reach rows by the computed field ${field}`, field);
      for (const { from, relationship, operation } of relatedWays(scope, table)) {
        const text = `${operation} rows with updates of ${from.key}, along ${relationship.name}`;
        const given = scope.roleSchema.table(table).insert?.columns ?? [];
        // An insert fills in the columns of the relationship, whether or not the role may give them.
        const isNoMore =
          operation !== 'insert' || relationship.columns.every(([, { name }]) => given.includes(name));
        add(text, text, 'operations', isNoMore);
      }
    }
  }
  return found;
}
