/** The permissions behind a cell of the matrix: rules in words, columns, presets, and where they are written. */
import type { AccessAnswer, AccessPermission } from '../questions.ts';
import { OPERATIONS, type Row } from './cells.ts';
import { Rule } from './parts.tsx';
import { address } from './route.ts';

interface DetailProps {
  readonly answer: AccessAnswer;
  readonly row: Row;
  /** All roles unless it is one. */
  readonly role: string;
  /** Columns with this text are marked. */
  readonly found: string;
}

export function Detail({ answer, row, role, found }: DetailProps) {
  return (
    <aside aria-label="Permissions of the chosen cell">
      <a className="close" href="#/access" aria-label="Close">
        ×
      </a>
      <h2>
        {row.label} <em>{role || 'all roles'}</em>
      </h2>
      {row.kind === 'table' ? (
        <TableDetail answer={answer} row={row} role={role} found={found} />
      ) : (
        <OtherDetail answer={answer} row={row} role={role} />
      )}
    </aside>
  );
}

function TableDetail({ answer, row, role, found }: DetailProps) {
  const table = answer.tables.find(({ source, key }) => source === row.source && key === row.name)!;
  const own = answer.permissions.filter(
    (each) => each.source === row.source && each.table === row.name && (role === '' || each.role === role),
  );
  return (
    <>
      <p className="quiet">
        {table.kind} of {table.source}. A column leads to everybody who can use it.
      </p>
      <p>
        {table.columns.map((column) => (
          <a
            key={column}
            className={found !== '' && column.toLowerCase().includes(found) ? 'chip found' : 'chip'}
            href={address('who', table.source, table.key, column)}
          >
            {column}
          </a>
        ))}
      </p>
      {own.length === 0 && <p>No permission.</p>}
      {OPERATIONS.flatMap((operation) => own.filter((each) => each.operation === operation)).map(
        (permission) => (
          <PermissionDetail
            key={`${permission.operation} ${permission.role}`}
            permission={permission}
            lists={answer.lists}
            all={table.columns}
          />
        ),
      )}
    </>
  );
}

function PermissionDetail({
  permission,
  lists,
  all,
}: {
  readonly permission: AccessPermission;
  readonly lists: AccessAnswer['lists'];
  readonly all: readonly string[];
}) {
  const columns = permission.columns === undefined ? undefined : lists[permission.columns]!;
  const missing = columns ? all.filter((column) => !columns.includes(column)) : [];
  return (
    <section>
      <h3>
        <span className={permission.operation}>{permission.operation}</span> {permission.role}
        {permission.place && <code>{permission.place}</code>}
      </h3>
      <dl>
        {permission.whereWords !== undefined && (
          <>
            <dt>rows</dt>
            <dd>
              <Rule words={permission.whereWords} />
            </dd>
          </>
        )}
        {permission.checkWords !== undefined && (
          <>
            <dt>check</dt>
            <dd>
              <Rule words={permission.checkWords} />
            </dd>
          </>
        )}
        {columns && (
          <>
            <dt>columns</dt>
            <dd>
              {columns.map((column) => (
                <span key={column} className="chip">
                  {column}
                </span>
              ))}
              {missing.map((column) => (
                <span key={column} className="chip hidden" title="no permission">
                  {column}
                </span>
              ))}
            </dd>
          </>
        )}
        <Named label="cells" values={permission.cells} />
        <Named label="presets" values={permission.presets} />
        {permission.limit !== undefined && (
          <>
            <dt>limit</dt>
            <dd>{permission.limit} rows</dd>
          </>
        )}
        <dt>fields</dt>
        <dd>{lists[permission.fields]!.join(', ') || 'none at the root'}</dd>
        {(permission.aggregations || permission.backendOnly || permission.validatedBy) && (
          <>
            <dt>also</dt>
            <dd>
              {[
                permission.aggregations && 'aggregations',
                permission.backendOnly && 'only with the admin secret (backend_only)',
                permission.validatedBy && `${permission.validatedBy} must accept the rows`,
              ]
                .filter(Boolean)
                .join('; ')}
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

function Named({
  label,
  values,
}: {
  readonly label: string;
  readonly values: Readonly<Record<string, string>> | undefined;
}) {
  if (!values) return null;
  return (
    <>
      <dt>{label}</dt>
      <dd>
        {Object.entries(values).map(([name, text]) => (
          <div key={name}>
            <code>{name}</code>: {text}
          </div>
        ))}
      </dd>
    </>
  );
}

function OtherDetail({ answer, row, role }: Omit<DetailProps, 'found'>) {
  const entry = answer.rows.find(
    ({ kind, name, source = '-' }) => kind === row.kind && name === row.name && source === row.source,
  )!;
  const roles = Object.entries(entry.roles).filter(([name]) => role === '' || name === role);
  return (
    <>
      <p className="quiet">
        {entry.kind}: {entry.note}
      </p>
      {entry.place && <code>{entry.place}</code>}
      {roles.length === 0 && <p>No permission.</p>}
      {roles.map(([name, fields]) => (
        <section key={name}>
          <h3>{name}</h3>
          <ul>
            {fields.map((field) => (
              <li key={field}>
                <code>{field}</code>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
