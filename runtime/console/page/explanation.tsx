/** Why a role is refused parts of an operation, and which permissions apply to the others, with the SQL that runs. */
import { useEffect, useState } from 'react';
import type { AccessAnswer, AccessObject, RefusedField, WhyAnswer } from '../questions.ts';
import { post, Refusal } from './api.ts';
import { useDetail, usePlaces } from './detail.tsx';
import { PlaceText, Problem, Rule, type Statement, Statements, Waiting } from './parts.tsx';
import { address } from './route.ts';

/** A request to explain for a session. */
export interface ExplainedRequest {
  readonly role: string;
  readonly request: object;
  /** Headers of the session. */
  readonly user: Readonly<Record<string, string>>;
}

interface Found {
  readonly why?: WhyAnswer;
  readonly statements?: readonly Statement[];
  readonly error?: Error;
}

export function Explanation({
  asked,
  access,
  close,
}: {
  readonly asked: ExplainedRequest;
  readonly access: AccessAnswer | undefined;
  /** Absent where it is a part of something else. */
  readonly close?: () => void;
}) {
  const [found, setFound] = useState<Found>({});
  useEffect(() => {
    let isLast = true;
    setFound({});
    explain(asked).then((next) => isLast && setFound(next));
    return () => {
      isLast = false;
    };
  }, [asked]);
  const { why, statements, error } = found;
  return (
    <section className="explanation" aria-label="Explanation">
      <header>
        <h2>As {asked.role}</h2>
        {close && (
          <span className="tools">
            <button type="button" onClick={close}>
              Close
            </button>
          </span>
        )}
      </header>
      {!why && !error && <Waiting>Asking the server …</Waiting>}
      {why?.refused.length === 0 && !error && (
        <p role="status">Every field of the operation is offered to the role.</p>
      )}
      {grouped(why?.refused ?? []).map((group) => (
        <Refused key={group[0]!.path} group={group} role={asked.role} access={access} />
      ))}
      {error && <Problem error={error} />}
      {error instanceof Refusal && error.reason && (
        <p>
          {error.reason.why} <Places paths={error.reason.paths} />
        </p>
      )}
      {why && why.applied.length > 0 && <h3>Permissions that apply</h3>}
      {why?.applied.map(({ source, table, operation }) => (
        <Applied
          key={`${source} ${table} ${operation}`}
          table={{ kind: 'table', source, name: table }}
          operation={operation}
          role={asked.role}
        />
      ))}
      {statements && <Statements statements={statements} />}
    </section>
  );
}

/** Names first: SQL exists where none is refused, and the server explains queries and subscriptions. */
async function explain({ request: query, user }: ExplainedRequest): Promise<Found> {
  let why: WhyAnswer | undefined;
  try {
    why = await post<WhyAnswer>('/engine/console/why', { query, user });
    if (why.refused.length > 0 || why.kind === 'mutation') return { why };
    const answer = await post<readonly Statement[] | Statement>('/v1/graphql/explain', { query, user });
    return { why, statements: [answer].flat() as Statement[] };
  } catch (thrown) {
    return { ...(why && { why }), error: thrown as Error };
  }
}

/** Refused names by what they lack. */
function grouped(refused: readonly RefusedField[]): (readonly RefusedField[])[] {
  const groups = new Map<string, RefusedField[]>();
  for (const field of refused) {
    const key = JSON.stringify(field.reason ? [field.reason, field.roles] : field.path);
    groups.set(key, [...(groups.get(key) ?? []), field]);
  }
  return [...groups.values()];
}

const OPERATIONS = ['select', 'insert', 'update', 'delete'] as const;

function Refused({
  group,
  role,
  access,
}: {
  readonly group: readonly RefusedField[];
  readonly role: string;
  readonly access: AccessAnswer | undefined;
}) {
  const { reason, remedy, roles } = group[0]!;
  const ruleOf = ({ source, name }: AccessObject, operation: string) =>
    `${source}.${name}.${operation}.${role}`;
  const table = access?.lines.find(
    (line) =>
      line.kind === 'table' && OPERATIONS.some((operation) => reason?.rule === ruleOf(line, operation)),
  );
  const operation = OPERATIONS.find((each) => table && reason?.rule === ruleOf(table, each));
  const { rules } = usePlaces(table);
  const placeOf = (name: string) => operation && rules?.[operation]?.[name];
  const own = placeOf(role);
  return (
    <article className="card">
      <h3>
        {[...new Set(group.map(({ name }) => name))].map((name) => (
          <code key={name} className="chip">
            {name}
          </code>
        ))}{' '}
        <span className="problem">refused</span>
      </h3>
      {!reason && roles.length === 0 && <p>It does not exist, for any role.</p>}
      {!reason && roles.length > 0 && <p>The role {role} is not offered it.</p>}
      {reason && <p>{sentence(reason.why)}</p>}
      <dl className="facts">
        {reason && (
          <>
            <dt>Permission</dt>
            <dd>
              {table && operation ? (
                <a href={address('access', table.source, table.name, role)}>
                  {operation} on {table.name} for {role}
                </a>
              ) : (
                <code>{reason.rule}</code>
              )}
              {reason.part && (
                <>
                  , <code>{reason.part}</code>
                </>
              )}
            </dd>
            <dt>Place</dt>
            <dd>
              <Places paths={own ? [own] : []} />
              <Places paths={reason.paths} />
            </dd>
          </>
        )}
        {remedy && (
          <>
            <dt>To grant it</dt>
            <dd>{remedy}</dd>
          </>
        )}
        {roles.length > 0 && (
          <>
            <dt>Granted to</dt>
            <dd>
              <ul className="plain-list">
                {roles.map((name) => {
                  const place = placeOf(name);
                  return (
                    <li key={name}>
                      {table && name !== 'admin' ? (
                        <a href={address('access', table.source, table.name, name)}>{name}</a>
                      ) : (
                        name
                      )}{' '}
                      {place && <PlaceText text={place} />}
                    </li>
                  );
                })}
              </ul>
            </dd>
          </>
        )}
      </dl>
    </article>
  );
}

function Places({ paths = [] }: { readonly paths?: readonly string[] | undefined }) {
  return paths.map((path) => (
    <span key={path} className="place">
      <PlaceText text={path} />
    </span>
  ));
}

/** The text as a sentence. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function Applied({
  table,
  operation,
  role,
}: {
  readonly table: AccessObject;
  readonly operation: (typeof OPERATIONS)[number];
  readonly role: string;
}) {
  const { value } = useDetail(table);
  const { rules } = usePlaces(table);
  const permission = value?.permissions?.find((each) => each.role === role && each.operation === operation);
  const place = rules?.[operation]?.[role];
  return (
    <article className="card">
      <h3>
        <a href={address('access', table.source, table.name, role)}>
          {operation} on {table.name}
        </a>{' '}
        {place && <PlaceText text={place} />}
      </h3>
      {role === 'admin' && <p className="quiet">Every row and column.</p>}
      {permission?.where !== undefined && <Rule words={permission.where} />}
      {permission?.check !== undefined && (
        <>
          <p className="quiet">Written rows must be</p>
          <Rule words={permission.check} />
        </>
      )}
    </article>
  );
}
