/**
 * Checks of written and deleted rows. Postgres itself is made to refuse a statement whose rows do not pass, with a text that says whose
 * check it was, which of its conditions did not hold, and the message of the permission, as JSON, which ends where its quotes do.
 * @rule When is a written or deleted row refused, and with which message?
 */

import { EVERY_ROW, type RuleText } from '../contract/shapes.ts';
import type { Reason } from '../reason.ts';
import { ruleOrHole } from '../saved/holes.ts';
import { boundRule, type VisibleTable } from '../schema/visible-table.ts';
import { builtIn, join, literal, raw, type Sql, sql } from '../sql/fragment.ts';
import { nested } from '../sql/statement.ts';

/** The operations whose permissions have a check. */
type CheckedOperation = 'insert' | 'update' | 'delete';

/** The message for clients. */
function failureOf(operation: CheckedOperation): string {
  return `check constraint of ${operation === 'delete' ? 'a delete' : 'an insert/update'} permission has failed`;
}

/** SQL text expression: `'true'` if the row passes; otherwise a text that fails the cast to boolean and so aborts the statement. Undefined if there is nothing to check. */
export type RowCheck = Sql | undefined;

/** The value of a check for a row that passes. */
export const PASSED = raw("'true'");

/** The check of an operation for the row of an alias: a written row with its new values, a deleted one with its old ones. */
export function rowCheck(
  visible: VisibleTable,
  operation: CheckedOperation,
  text: RuleText,
  alias: Sql,
): RowCheck {
  if (text === EVERY_ROW) return undefined;
  const reference = visible.rule(operation, 'check');
  const { conditions } = visible.read(text);
  if (conditions.length === 0) return undefined;
  const { source, schema, name } = visible.table.shape;
  const message = visible[operation]?.checkMessage;
  // Without the role: roles with the same rule share their statements.
  const rule = [source.name, schema, name, operation].join('.');
  const cases = conditions.map((condition, index) => {
    const which = conditions.length === 1 ? '' : ` ${index + 1}/${conditions.length}`;
    const own = message === undefined ? '' : ` ${JSON.stringify(message)}`;
    // Not a constant: Postgres would work it out, and fail, before there is a row.
    const failure = builtIn(
      'concat',
      literal(failureOf(operation)),
      literal(`${own} [${rule} check${which}]`),
    );
    return sql`when ${boundRule(condition, reference)(alias)} is not true then ${failure}`;
  });
  return sql`case ${join(cases, ' ')} else ${PASSED} end`;
}

/** Like `rowCheck`, or the hole around it, which is there even if every row passes. */
export function checkOrHole(
  visible: VisibleTable,
  operation: CheckedOperation,
  text: RuleText,
  alias: Sql,
): RowCheck {
  const check = rowCheck(visible, operation, text, alias);
  if (!visible.holes) return check;
  return ruleOrHole(visible, `check ${operation}`, alias, [check ?? PASSED])[0];
}

/**
 * The check as an item of RETURNING that fails the statement at the first row that does not pass, by casting a text that is
 * not a boolean. So a single statement needs no transaction around it to be undone, and errors of foreign keys or triggers,
 * which Postgres evaluates last, reveal nothing about rows that the role may not refer to.
 */
export function failUnlessPassed(check: Sql): Sql {
  return sql`${nested(check)}::boolean`;
}

/** What JSON.stringify writes. Clients may send such texts themselves, as a value that is not a boolean. */
const JSON_TEXT = '"(?:[^"\\\\\\u0000-\\u001f]|\\\\(?:["\\\\bfnrt]|u[0-9a-f]{4}))*"';
const FAILURE = new RegExp(
  `(${failureOf('delete')}|${failureOf('insert')})(?: (?<own>${JSON_TEXT}))? \\[(?<rule>.+) check(?: (?<number>\\d+)/(?<of>\\d+))?\\]`,
  's',
);

/** The message for clients and the reason of a refused statement; undefined when its error is another one. */
export function failedCheck(text: string): { readonly message: string; readonly reason: Reason } | undefined {
  const found = FAILURE.exec(text);
  if (!found) return undefined;
  const { own, rule, number = '1', of = '1' } = found.groups!;
  return {
    message: own === undefined ? found[1]! : JSON.parse(own),
    reason: {
      rule: rule!,
      isOfRole: true,
      part: ['check'],
      why: 'the row does not pass the check',
      condition: { number: Number(number), of: Number(of) },
    },
  };
}
