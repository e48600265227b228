/** Objects of the metadata that are not served: why, and where they are. */
import type { ConsoleInconsistency, InconsistenciesAnswer } from '../operator-questions.ts';
import { metadata, read, useLoaded } from './api.ts';
import { ActionButton, Many, PageHead, type PageProps, PlaceText, Shown } from './parts.tsx';

export function Inconsistencies({ state }: PageProps) {
  const loaded = useLoaded('inconsistencies', () =>
    read<InconsistenciesAnswer>('/engine/console/inconsistencies'),
  );
  const { value, again } = loaded;
  const change = (type: string, args: object) => async () => {
    await metadata(type, args);
    again();
  };
  const count = value?.inconsistencies.length ?? 0;
  return (
    <>
      <PageHead title="Inconsistencies" value={value} again={again}>
        <ActionButton
          state={state}
          run={change('reload_metadata', { reload_sources: true, reload_remote_schemas: true })}
        >
          Reload all
        </ActionButton>
        {count > 0 && (
          <ActionButton
            state={state}
            run={change('drop_inconsistent_metadata', {})}
            confirm={`Remove ${count === 1 ? 'this object' : `these ${count} objects`} from the metadata?`}
          >
            Drop all
          </ActionButton>
        )}
      </PageHead>
      <Shown of={loaded}>
        {({ inconsistencies }) =>
          inconsistencies.length === 0 ? (
            <p className="quiet">Everything in the metadata is served.</p>
          ) : (
            <Many items={inconsistencies}>
              {(shown) =>
                shown.map((each) => (
                  <Inconsistency key={`${each.path} ${each.name} ${each.reason}`} object={each}>
                    {each.reload && (
                      <ActionButton state={state} run={change(...reloadOf(each.reload))}>
                        Reload {'source' in each.reload ? each.reload.source : each.reload.remoteSchema}
                      </ActionButton>
                    )}
                  </Inconsistency>
                ))
              }
            </Many>
          )
        }
      </Shown>
    </>
  );
}

/** Operation and arguments that read again what an object depends on. */
function reloadOf(target: NonNullable<ConsoleInconsistency['reload']>): [type: string, args: object] {
  return 'source' in target
    ? ['reload_metadata', { reload_sources: [target.source] }]
    : ['reload_remote_schema', { name: target.remoteSchema }];
}

function Inconsistency({
  object: { name, type, reason, path, place, details, because, definition },
  children,
}: {
  readonly object: ConsoleInconsistency;
  readonly children: React.ReactNode;
}) {
  return (
    <section className="card">
      <h2>
        {name} {type && !name.startsWith(type) && <small>{type.replaceAll('_', ' ')}</small>}
      </h2>
      <p>{reason}</p>
      {details.map((line) => (
        <p key={line} className="quiet">
          {line}
        </p>
      ))}
      <dl className="facts">
        <dt>Place</dt>
        <dd>
          <PlaceText text={place ?? path} />
        </dd>
        {because && (
          <>
            <dt>Follows from</dt>
            <dd>
              <PlaceText text={because} />
            </dd>
          </>
        )}
      </dl>
      <details>
        <summary>Definition</summary>
        <pre>{JSON.stringify(definition, null, 2)}</pre>
      </details>
      {children}
    </section>
  );
}
