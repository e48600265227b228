/**
 * Why a request was denied: by which rule, which part of it, and what was missing. For the log, for administrators and for
 * development mode; never for ordinary clients. Rules are named by their objects; their place in the
 * metadata is looked up for a denial only, so allowed requests cost nothing.
 * @rule What does a denial reveal, and to which clients?
 */

/** A permission's rule, or a part of it. */
export interface RuleReference {
  /** Made by ruleName. */
  readonly rule: string;
  /** Keys below the permission, as the metadata has them: `filter`, `check`, `set` and a column, `columns`. */
  readonly part?: readonly string[];
}

export interface Reason extends RuleReference {
  /** What is not permitted, for a name that the role is not offered. */
  readonly denied?: { readonly subject: RuleSubject; readonly operation: RuleOperation };
  /** The rule in words, without a full stop. */
  readonly why: string;
  /** The session variable that is missing. */
  readonly variable?: string;
  /** Which of the conditions that the rule joins with `and`, counted from 1. */
  readonly condition?: { readonly number: number; readonly of: number };
  /** The name needs the caller's role appended. */
  readonly isOfRole?: true;
  /** Where a rule that is not a permission is set: a path of the metadata, or an option of the server. */
  readonly path?: string;
}

/** Kinds of permissions. */
export type RuleOperation = 'select' | 'insert' | 'update' | 'delete' | 'function';

/** The subject of a rule. */
export interface RuleSubject {
  readonly source: { readonly name: string };
  readonly schema: string;
  readonly name: string;
}

/** The name of what a role may do with a table or function: `default.public.article.select.user`. */
export function ruleName(
  { source, schema, name }: RuleSubject,
  operation: RuleOperation,
  role: string,
): string {
  return [source.name, schema, name, operation, role].join('.');
}

/** The name of what a role may do with an action: `actions.suggest_reply.user`. */
export function actionRule(action: string, role: string): string {
  return `actions.${action}.${role}`;
}

/** The reason why an interface of administrators is closed to a role. */
export function adminOnly(role: string): Reason {
  return { rule: 'admin-only', why: `the interface is for administrators, and the role is ${role}` };
}

/** A reason as it is written. */
export interface DescribedReason {
  readonly rule: string;
  readonly why: string;
  readonly part?: string;
  readonly variable?: string;
  /** `2 of 3`, where the rule has several. */
  readonly condition?: string;
  /** Its path: `metadata.sources[0].tables[3].select_permissions[1].permission.filter.author_id._eq`. */
  readonly paths?: readonly string[];
}

/** @param found paths of the rule in the metadata, if known */
export function describeReason(reason: Reason, found: readonly string[] = []): DescribedReason {
  const { rule, why, part, variable, condition, path } = reason;
  const paths = path === undefined ? found : [path];
  return {
    rule,
    why,
    ...(part === undefined ? {} : { part: part.join('.') }),
    ...(variable === undefined ? {} : { variable }),
    ...(condition === undefined || condition.of === 1
      ? {}
      : { condition: `${condition.number} of ${condition.of}` }),
    ...(paths.length === 0 ? {} : { paths }),
  };
}
