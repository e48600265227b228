/** Who can read or write a column, by which paths and rules, and where each rule is written. */
import type { WhoAnswer } from '../questions.ts';
import { read, useLoaded } from './api.ts';
import { CopyJson, type PageProps, Problem, Rule, Waiting } from './parts.tsx';
import { address } from './route.ts';

export function Who({ steps: [source = '', table = '', column = ''] }: PageProps) {
  const query = new URLSearchParams({ source, table, column });
  const { value, error } = useLoaded(`who ${query}`, () => read<WhoAnswer>(`/engine/console/who?${query}`));
  const roles = [...new Set(value?.paths.map(({ role }) => role))];
  return (
    <>
      <header>
        <h1>
          Who can use <code>{`${table}.${column}`}</code>?
        </h1>
        <CopyJson value={value} />
      </header>
      <p>
        <a href={address('access', source, table)}>all permissions of {table}</a>
      </p>
      {error && <Problem error={error} />}
      {!value && !error && <Waiting>Reading the generated code …</Waiting>}
      {value && roles.length === 0 && <p>No role but admin can read or write it.</p>}
      {roles.map((role) => (
        <section key={role} className="card">
          <h2>{role}</h2>
          {(['read', 'write'] as const).map((access) => {
            const paths = value!.paths.filter((path) => path.role === role && path.access === access);
            return (
              paths.length > 0 && (
                <div key={access}>
                  <h3>{access}</h3>
                  <ul>
                    {paths.map((path) => (
                      <li key={`${path.via} ${path.fields.join()} ${path.note}`}>
                        {path.possible ? 'possibly ' : ''}by {path.via}: <code>{path.fields.join(', ')}</code>
                        {path.backendOnly && ' (backend only)'}
                        {path.note && <span className="quiet"> {path.note}</span>}
                        {path.rules.map((rule) => (
                          <div key={`${rule.table} ${rule.part} ${rule.text}`} className="step">
                            <span className="quiet">
                              {rule.part} of {rule.table}
                              {rule.limit !== undefined && `, at most ${rule.limit} rows`}
                              {rule.place && ` · ${rule.place.file}:${rule.place.line}`}
                            </span>
                            <Rule words={rule.words} />
                          </div>
                        ))}
                      </li>
                    ))}
                  </ul>
                </div>
              )
            );
          })}
        </section>
      ))}
      {value && <p className="quiet">The role admin may do everything.</p>}
      {value && value.callingViews.length > 0 && (
        <p className="quiet">
          Not in this answer: what functions read that views call: {value.callingViews.join(', ')}.
        </p>
      )}
    </>
  );
}
