/** The permission of a role for one operation on a table: by fields, or as the JSON that the metadata has; both are the same value. */
import { useState } from 'react';
import type { JsonObject } from '../../../core/json/json.ts';
import { jsonText } from '../../../core/json/json-value.ts';
import type { QualifiedName } from '../../../core/names.ts';
import type { PermissionOperation, TableAnswer } from '../../proposal-questions.ts';
import type { ConsoleState } from '../../questions.ts';
import { OPERATIONS } from '../cells.ts';
import { CheckField } from '../inputs.tsx';
import { JsonText } from '../json-text.tsx';
import type { Change } from '../model/change.ts';
import { dropChange, keepChange, useDraft, useProposal } from '../model/draft.ts';
import { ReviewLink } from '../model/make.tsx';
import { nameOf, setPermission } from '../model/operations.ts';
import { Problems } from '../model/preview.tsx';
import { Review } from '../model/review.tsx';
import { PageHead, Shown } from '../parts.tsx';
import { address } from '../route.ts';
import { Fields } from './fields.tsx';

interface EditorProps {
  readonly state: ConsoleState;
  readonly source: string;
  readonly table: QualifiedName;
  readonly role: string;
  readonly operation: string;
}

export function Editor({ state, source, table, role, operation: given }: EditorProps) {
  const operation = OPERATIONS.find((each) => each === given) ?? 'select';
  const loaded = useProposal<TableAnswer | null>({ page: 'table', source, table });
  const { changes } = useDraft();
  const shown = loaded.value?.shown;
  const found = shown?.permissions[operation].find((each) => each.role === role);
  return (
    <>
      <PageHead title={`${role} on ${nameOf(table)}`} value={found?.permission ?? null} again={loaded.again}>
        <a href={address('model', source, table.schema, table.name)}>{nameOf(table)}</a>
        <ReviewLink />
      </PageHead>
      <div className="tabs" role="group" aria-label="Operations">
        {OPERATIONS.map((each) => (
          <a
            key={each}
            href={address('model', source, table.schema, table.name, role, each)}
            aria-current={each === operation ? 'page' : undefined}
          >
            {each}
            {shown?.permissions[each].some((entry) => entry.role === role) ? ' ✓' : ''}
          </a>
        ))}
      </div>
      <Shown of={loaded}>
        {(answer) => (
          <>
            <Problems answer={answer} changes={changes} />
            {answer.shown?.isTracked ? (
              <Permission
                // What others made of it meanwhile replaces what was not kept.
                key={jsonText(found?.permission ?? null)}
                table={answer.shown}
                role={role}
                operation={operation}
                isReadOnly={state.mode === 'read'}
              />
            ) : (
              <p>{nameOf(table)} is not tracked.</p>
            )}
          </>
        )}
      </Shown>
    </>
  );
}

/** A permission that grants nothing but the operation. */
const EMPTY: Readonly<Record<PermissionOperation, JsonObject>> = {
  select: { columns: [], filter: {} },
  insert: { columns: [], check: {} },
  update: { columns: [], filter: {}, check: null },
  delete: { filter: {} },
};

function Permission({
  table,
  role,
  operation,
  isReadOnly,
}: {
  readonly table: TableAnswer;
  readonly role: string;
  readonly operation: PermissionOperation;
  readonly isReadOnly: boolean;
}) {
  const ofRole = (each: { readonly role: string }) => each.role === role;
  const written = table.permissions[operation].find(ofRole);
  const [permission, setPermissionValue] = useState<JsonObject | undefined>(written?.permission);
  const [isTextValid, setTextValid] = useState(true);
  const text = jsonText(permission ?? null);
  const next = permission && {
    role,
    permission,
    ...(written?.comment !== undefined && { comment: written.comment }),
  };
  const served = table.served[operation].find(ofRole);
  const change: Change = setPermission(
    { source: table.source, table: table.table, role, operation },
    served,
    next,
  );
  const keep = () => {
    if (text === jsonText(served?.permission ?? null)) dropChange(change.key);
    else keepChange(change);
  };
  return (
    <div className="editor">
      <div>
        <p>
          <CheckField
            label={`${role} may ${operation} rows of ${nameOf(table.table)}`}
            value={permission !== undefined}
            isReadOnly={isReadOnly}
            change={(is) => setPermissionValue(is ? (written?.permission ?? EMPTY[operation]) : undefined)}
          />
        </p>
        {permission ? (
          <Fields
            table={table}
            operation={operation}
            permission={permission}
            change={setPermissionValue}
            isReadOnly={isReadOnly}
          />
        ) : (
          <p className="quiet">
            {table.inherited.includes(role)
              ? 'An inherited role has what its parents may do, unless it has a permission of its own here.'
              : 'No permission.'}
          </p>
        )}
      </div>
      <div>
        {permission && (
          <JsonText
            label="The permission as JSON"
            value={permission}
            change={setPermissionValue}
            valid={setTextValid}
            isReadOnly={isReadOnly}
          />
        )}
        {!isReadOnly && (
          <Review
            text={text}
            change={() => change}
            isChanged={text !== jsonText(written?.permission ?? null)}
            isValid={isTextValid}
            keep={keep}
          />
        )}
      </div>
    </div>
  );
}
