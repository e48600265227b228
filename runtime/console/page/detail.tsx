/** The permissions behind a cell of the matrix: rules in words, columns, presets, and where they are written. */
import type { ReactNode } from 'react';
import type {
  AccessDetail,
  AccessObject,
  AccessPermission,
  DifferentCell,
  PlacesAnswer,
} from '../questions.ts';
import { type Loaded, read, useLoaded } from './api.ts';
import { type AccessRow, keyOf, OPERATIONS } from './cells.ts';
import { PlaceText, Problem, Rule } from './parts.tsx';
import { address } from './route.ts';

interface DetailProps {
  readonly row: AccessRow;
  /** All roles unless it is one. */
  readonly role: string;
  /** Columns with this text are marked. */
  readonly found: string;
  /** Cells of the row that differ from another version. */
  readonly difference: readonly DifferentCell[] | undefined;
}

/** What is behind the cells of an object, for every role. */
export function useDetail(object: AccessObject): Loaded<AccessDetail> {
  const query = queryOf(object);
  return useLoaded(query, () => read<AccessDetail>(`/engine/console/detail?${query}`));
}

/** Where it is written. The generated code is read for that, so rules are shown before. */
export function usePlaces(object: AccessObject | undefined): PlacesAnswer {
  const query = object && queryOf(object);
  const { value } = useLoaded(query ?? '', async () =>
    query === undefined
      ? undefined
      : { query, ...(await read<PlacesAnswer>(`/engine/console/places?${query}`)) },
  );
  return value?.query === query ? (value ?? {}) : {};
}

function queryOf({ kind, source, name }: AccessObject): string {
  return String(new URLSearchParams({ kind, source, name }));
}

export function Detail({ row, role, found, difference = [] }: DetailProps) {
  const { value, error } = useDetail(row);
  const places = usePlaces(row);
  const detail = value && keyOf(value) === keyOf(row) ? value : undefined;
  return (
    <aside aria-label="Permissions of the chosen cell">
      <a className="close" href="#/access" aria-label="Close">
        ×
      </a>
      <h2>
        {row.label} <em>{role || 'all roles'}</em>
      </h2>
      {difference.map((cell) => (
        <Change key={cell.role} cell={cell} />
      ))}
      {error && difference.length === 0 && <Problem error={error} />}
      {detail?.permissions ? (
        <TableDetail
          detail={detail}
          permissions={detail.permissions}
          role={role}
          found={found}
          places={places}
        />
      ) : (
        detail && <OtherDetail detail={detail} role={role} places={places} />
      )}
    </aside>
  );
}

/** What the other version allows, beside what is served. */
function Change({ cell: { role, permissions, uses } }: { readonly cell: DifferentCell }) {
  return (
    <section className="change" aria-label={`Difference for ${role}`}>
      <h3>Before, {role}</h3>
      <Side permissions={permissions?.before} uses={uses?.before} />
      <h3>Now, {role}</h3>
      <Side permissions={permissions?.now} uses={uses?.now} />
    </section>
  );
}

function Side({
  permissions = [],
  uses = [],
}: {
  readonly permissions: readonly AccessPermission[] | undefined;
  readonly uses: readonly string[] | undefined;
}) {
  if (permissions.length + uses.length === 0) return <p>No permission.</p>;
  return (
    <>
      {permissions.map((permission) => (
        <PermissionDetail key={permission.operation} permission={permission} all={[]} places={{}} />
      ))}
      <Uses names={uses} />
    </>
  );
}

function TableDetail({
  detail: { source, name, note, columns = [] },
  permissions,
  role,
  found,
  places,
}: {
  readonly detail: AccessDetail;
  readonly permissions: readonly AccessPermission[];
  readonly role: string;
  readonly found: string;
  readonly places: PlacesAnswer;
}) {
  const own = permissions.filter((each) => role === '' || each.role === role);
  return (
    <>
      <p className="quiet">{note}. A column leads to all who can use it.</p>
      <p>
        {columns.map((column) => (
          <a
            key={column}
            className={found !== '' && column.toLowerCase().includes(found) ? 'chip found' : 'chip'}
            href={address('who', source, name, column)}
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
            all={columns}
            places={places}
          />
        ),
      )}
    </>
  );
}

function PermissionDetail({
  permission,
  all,
  places: { rules },
}: {
  readonly permission: AccessPermission;
  readonly all: readonly string[];
  readonly places: PlacesAnswer;
}) {
  const { role, operation, columns, computedFields = [], where, check, checkMessage } = permission;
  const { presets, cells, limit } = permission;
  const place = rules?.[operation]?.[role];
  const readable = columns && [...columns, ...computedFields];
  const further = [
    permission.aggregations && 'aggregations',
    permission.backendOnly && 'for trusted callers only (backend_only)',
    permission.validatedBy && `${permission.validatedBy} must accept the rows`,
  ].filter(Boolean);
  return (
    <section>
      <h3>
        <span className={operation}>{operation}</span> {role}
        {place && <PlaceText text={place} />}
      </h3>
      <dl>
        {where !== undefined && (
          <Fact name="rows">
            <Rule words={where} />
          </Fact>
        )}
        {check !== undefined && (
          <Fact name="check">
            <Rule words={check} />
          </Fact>
        )}
        {checkMessage !== undefined && <Fact name="message">{checkMessage}</Fact>}
        {readable && (
          <Fact name="columns">
            {readable.map((column) => (
              <span key={column} className="chip">
                {column}
              </span>
            ))}
            {all
              .filter((column) => !readable.includes(column))
              .map((column) => (
                <span key={column} className="chip hidden" title="no permission">
                  {column}
                </span>
              ))}
          </Fact>
        )}
        {cells && <Fact name="cells">{named(cells)}</Fact>}
        {presets && <Fact name="presets">{named(presets)}</Fact>}
        {limit !== undefined && <Fact name="limit">{limit} rows</Fact>}
        <Fact name="fields">{permission.fields.join(', ') || 'none at the root'}</Fact>
        {further.length > 0 && <Fact name="also">{further.join('; ')}</Fact>}
      </dl>
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function named(values: Readonly<Record<string, string>>): ReactNode {
  return Object.entries(values).map(([name, text]) => (
    <div key={name}>
      <code>{name}</code>: {text}
    </div>
  ));
}

function OtherDetail({
  detail: { note, effects, roles = {}, everyRole },
  role,
  places: { place },
}: {
  readonly detail: AccessDetail;
  readonly role: string;
  readonly places: PlacesAnswer;
}) {
  const shown = Object.entries(roles).filter(([name]) => role === '' || name === role);
  return (
    <>
      <p className="quiet">{note}</p>
      {place && <PlaceText text={place} />}
      {effects && (
        <section>
          <h3>Effects of a call</h3>
          <Uses names={effects} />
        </section>
      )}
      {everyRole ? <Uses names={everyRole} /> : shown.length === 0 && <p>No permission.</p>}
      {shown.map(([name, fields]) => (
        <section key={name}>
          <h3>{name}</h3>
          <Uses names={fields} />
        </section>
      ))}
    </>
  );
}

function Uses({ names }: { readonly names: readonly string[] }) {
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>
          <code>{name}</code>
        </li>
      ))}
    </ul>
  );
}
