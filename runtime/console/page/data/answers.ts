/** Runs requests of the data page as the chosen role, and reads their answers with every digit of a number. */
import { parseExactJson } from '../../../core/json/exact-json.ts';
import type { DescribedReason } from '../../../core/reason.ts';
import type { TableApi } from '../../data-questions.ts';
import { graphql, named } from '../api.ts';
import { chosen } from '../as.tsx';
import { sessionOf } from '../session.tsx';
import { at, filledRequest, type GraphqlRequest, type Row } from './request.ts';

/** The server refused a request that was run as a role. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly code: string;
  readonly request: GraphqlRequest;
  readonly reason: DescribedReason | undefined;

  constructor(message: string, code: string, request: GraphqlRequest, reason?: DescribedReason) {
    super(message);
    this.code = code;
    this.request = request;
    this.reason = reason;
  }

  /** Whether permissions may be why: not where the database refused a value. */
  get isDenial(): boolean {
    return !['constraint-violation', 'data-exception', 'postgres-error', 'unexpected'].includes(this.code);
  }
}

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: {
      readonly code?: string;
      readonly internal?: {
        readonly reason?: DescribedReason;
        readonly error?: { readonly message?: string };
      };
    };
  }[];
}

/** The data of a request, as the chosen role. @throws Refused */
export async function ask(request: GraphqlRequest, session = chosenSession()): Promise<unknown> {
  const { data, errors } = (await graphql(request, session, parseExactJson)) as Answer;
  const [error] = errors ?? [];
  if (!error) return data;
  const { code = 'unexpected', internal } = error.extensions ?? {};
  const detail = internal?.error?.message;
  throw new Refused(
    detail === undefined ? error.message : `${error.message}: ${detail}`,
    code,
    request,
    internal?.reason,
  );
}

/** Headers of the chosen role and its session variables. @throws Error */
export function chosenSession(): Record<string, string> {
  const { role, session } = chosen();
  return sessionOf(role, session);
}

/** The rows of an answer to a request for rows. */
export function rowsAt(api: TableApi, data: unknown): readonly Row[] {
  return at(data, api.select!.path) as readonly Row[];
}

/** A row that is shown, with the columns that are masked in it. */
export interface ShownRow {
  readonly values: Row;
  /** Columns whose value is there and hidden from the role. */
  readonly masked: readonly string[];
  /** Columns that are null or masked: which of them is not known. */
  readonly unclear: readonly string[];
}

/**
 * Tells masked cells from null ones: an administrator sees which values are there. The values are not requested.
 * Without a key, or where that fails, it is not known.
 */
export async function markMasked(api: TableApi, rows: readonly Row[]): Promise<readonly ShownRow[]> {
  const fields = api.columns.flatMap(({ field, mask }) =>
    mask !== undefined && rows.some((row) => row[field] === null) ? [field] : [],
  );
  const unsure = (row: Row) => fields.filter((field) => row[field] === null);
  if (fields.length === 0) return rows.map((values) => ({ values, masked: [], unclear: [] }));
  const unknown = () => rows.map((values) => ({ values, masked: [], unclear: unsure(values) }));
  if (api.key.length === 0) return unknown();
  const keyOf = (row: Row) => JSON.stringify(api.key.map((field) => row[field]));
  try {
    const hidden = rows.filter((row) => unsure(row).length > 0);
    const data = await ask(filledRequest(api, hidden, fields), { [named('role')]: 'admin' });
    const inner = at(data, api.select!.path.slice(0, -1)) as Readonly<Record<string, readonly Row[]>>;
    const filled = fields.map((_, index) => new Set(inner[`column${index}`]!.map(keyOf)));
    return rows.map((values) => ({
      values,
      masked: fields.filter((field, index) => values[field] === null && filled[index]!.has(keyOf(values))),
      unclear: [],
    }));
  } catch {
    return unknown();
  }
}
