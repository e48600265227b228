/** The last calls of an asynchronous action, with their errors. */
import { Fragment } from 'react';
import type { CallsAnswer } from '../operator-questions.ts';
import { read, useLoaded } from './api.ts';
import { masked } from './masked.ts';
import { Badge, List, PageHead, Shown, time } from './parts.tsx';

const COLUMNS = ['Call', 'Created', 'Ended', 'State'];

const STATES = {
  created: ['warn', 'pending'],
  processing: ['warn', 'being made'],
  completed: ['good', 'completed'],
  error: ['bad', 'failed'],
} as const;

export function ActionCalls({ name }: { readonly name: string }) {
  const loaded = useLoaded(`calls ${name}`, async () =>
    masked(await read<CallsAnswer>(`/engine/console/calls?action=${encodeURIComponent(name)}`)),
  );
  return (
    <>
      <PageHead
        title={
          <>
            {name} <small>asynchronous action</small>
          </>
        }
        value={loaded.value}
        again={loaded.again}
      />
      <Shown of={loaded}>
        {({ calls }) =>
          calls.length === 0 ? (
            <p className="quiet">It was not called yet, or its calls were deleted.</p>
          ) : (
            <List label="Calls" columns={COLUMNS}>
              {calls.map((call) => (
                <Fragment key={call.id}>
                  <tr>
                    <th scope="row">
                      <code>{call.id}</code>
                    </th>
                    <td className="time">{time(call.createdAt)}</td>
                    <td className="time">{time(call.endedAt)}</td>
                    <td>
                      <Badge kind={STATES[call.status][0]}>{STATES[call.status][1]}</Badge>
                    </td>
                  </tr>
                  {call.errors !== null && (
                    <tr className="more">
                      <td colSpan={COLUMNS.length}>
                        <CallError errors={call.errors} />
                      </td>
                    </tr>
                  )}
                </Fragment>
              ))}
            </List>
          )
        }
      </Shown>
    </>
  );
}

/** An error of the API, whose details for administrators say more. */
function CallError({ errors }: { readonly errors: unknown }) {
  const { error, internal } = errors as {
    readonly error?: unknown;
    readonly internal?: { readonly error?: unknown } | null;
  };
  return (
    <details>
      <summary>{[internal?.error, error].find((text) => typeof text === 'string') ?? 'failed'}</summary>
      <pre>{JSON.stringify(errors, null, 2)}</pre>
    </details>
  );
}
