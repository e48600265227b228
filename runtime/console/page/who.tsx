/** Who can read or write a column, by which paths and rules, and where each rule is written. */
import type { WhoAnswer } from '../questions.ts';
import { read, useLoaded } from './api.ts';
import { PageHead, type PageProps, PlaceText, Rule, Shown } from './parts.tsx';
import { address } from './route.ts';

type Path = WhoAnswer['paths'][number];
type PathRule = Path['rules'][number];

export function Who({ steps: [source = '', table = '', column = ''] }: PageProps) {
  const query = new URLSearchParams({ source, table, column });
  const loaded = useLoaded(`who ${query}`, () => read<WhoAnswer>(`/engine/console/who?${query}`));
  return (
    <>
      <PageHead
        title={
          <>
            Who can use <code>{`${table}.${column}`}</code>?
          </>
        }
        value={loaded.value}
        again={loaded.again}
      />
      <p>
        <a href={address('access', source, table)}>All permissions of {table}</a>
      </p>
      <Shown of={loaded} waiting="Reading the generated code …">
        {(answer) => <Answer answer={answer} />}
      </Shown>
    </>
  );
}

const KINDS = ['read', 'write'] as const;

function Answer({ answer: { type, paths, sent, limits } }: { readonly answer: WhoAnswer }) {
  const rolesOf = (some: readonly Path[]) => [...new Set(some.map(({ role }) => role))];
  const using = (kind: Path['access']) => rolesOf(paths.filter(({ access }) => access === kind));
  return (
    <>
      <dl className="facts">
        <dt>Type</dt>
        <dd>{type}</dd>
        <dt>Read by</dt>
        <dd>{['admin', ...using('read')].join(', ')}</dd>
        <dt>Written by</dt>
        <dd>{['admin', ...using('write')].join(', ')}</dd>
      </dl>
      {rolesOf(paths).map((role) => (
        <Role key={role} role={role} paths={paths.filter((path) => path.role === role)} />
      ))}
      {sent.length > 0 && (
        <section className="card">
          <h2>Sent</h2>
          <ul>
            {sent.map(({ to, by }) => (
              <li key={`${to} ${by}`}>
                to {to}: {by}
              </li>
            ))}
          </ul>
        </section>
      )}
      {limits.map((sentence) => (
        <p key={sentence} className="quiet">
          {sentence}
        </p>
      ))}
    </>
  );
}

/** Paths first: many of them share rules, which follow with numbers. */
function Role({ role, paths }: { readonly role: string; readonly paths: readonly Path[] }) {
  const rules = new Map<string, PathRule>();
  for (const path of paths) for (const rule of path.rules) rules.set(keyOf(rule), rule);
  const numbers = [...rules.keys()];
  return (
    <section className="card">
      <h2>{role}</h2>
      {KINDS.map((kind) => {
        const own = paths.filter(({ access }) => access === kind);
        return (
          own.length > 0 && (
            <div key={kind}>
              <h3>{kind}</h3>
              <ul>
                {own.map((path) => (
                  <li key={`${path.via} ${path.fields.join()} ${path.note}`}>
                    {path.possible ? 'possibly ' : ''}by {path.via}: <code>{path.fields.join(', ')}</code>
                    {path.backendOnly && ' for trusted callers only'}
                    <span className="quiet">
                      {path.note && ` ${path.note}`}
                      {path.rules.length > 0 && (
                        <> · {numbered(path.rules.map((rule) => numbers.indexOf(keyOf(rule)) + 1))}</>
                      )}
                    </span>
                  </li>
                ))}
              </ul>
            </div>
          )
        );
      })}
      {rules.size > 0 && <h3>rules</h3>}
      <ol>
        {[...rules].map(([key, { part, table, limit, place, words }]) => (
          <li key={key} className="step">
            <span className="quiet">
              {part} of {table}
              {limit !== undefined && `, at most ${limit} rows`}
              {place && (
                <>
                  {' · '}
                  <PlaceText text={`${place.file}:${place.line}`} />
                </>
              )}
            </span>
            <Rule words={words} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function keyOf({ table, part, text, limit }: PathRule): string {
  return JSON.stringify([table, part, text, limit]);
}

function numbered(numbers: readonly number[]): string {
  return `${numbers.length === 1 ? 'rule' : 'rules'} ${numbers.join(', ')}`;
}
