/** A cron trigger: where and when it calls. */
import { isTimeZone, nextTimes, readCron } from '../../../core/schedule/cron.ts';
import type { ConsoleState } from '../../questions.ts';
import type { NamedEntry } from '../../services-questions.ts';
import { EntryEditor } from './entry.tsx';
import { type FieldsProps, KeyField, NumberField, within } from './fields.tsx';
import { putCron } from './operations.ts';

const NEW = { name: '', webhook: '', schedule: '', payload: {}, include_in_metadata: true };

/** @param trigger absent: a new one */
export function CronForm({
  state,
  trigger,
}: {
  readonly state: Pick<ConsoleState, 'mode'>;
  readonly trigger?: NamedEntry;
}) {
  return (
    <EntryEditor
      state={state}
      label="The cron trigger as JSON"
      value={trigger ?? NEW}
      isNew={trigger === undefined}
      change={(entry) => putCron(entry, trigger === undefined)}
    >
      {(fields) => <Fields isNew={trigger === undefined} {...fields} />}
    </EntryEditor>
  );
}

function Fields({ isNew, ...fields }: FieldsProps & { readonly isNew: boolean }) {
  const { schedule, timezone } = fields.entry;
  return (
    <>
      <KeyField label="Name" name="name" {...fields} isReadOnly={fields.isReadOnly || !isNew} />
      <KeyField
        label="Webhook"
        name="webhook"
        placeholder="https://example.org/hook or {{HOOK_URL}}"
        {...fields}
      />
      <KeyField label="Schedule" name="schedule" placeholder="0 9 * * mon-fri" {...fields} />
      <KeyField isOptional label="Time zone" name="timezone" placeholder="UTC" {...fields} />
      <NumberField
        label="Attempts after the first one"
        name="num_retries"
        placeholder="0"
        {...within(fields, 'retry_conf')}
      />
      <NextTen schedule={String(schedule ?? '')} zone={String(timezone ?? 'UTC')} />
    </>
  );
}

/** The next ten times by the clock of the schedule's zone, or what is wrong with the schedule. */
function NextTen({ schedule, zone }: { readonly schedule: string; readonly zone: string }) {
  if (schedule.trim() === '') return <p className="quiet">Five fields: minute, hour, day, month, weekday.</p>;
  const read = readCron(schedule);
  if ('problem' in read) return <p className="problem">The schedule cannot be read: {read.problem}</p>;
  if (!isTimeZone(zone))
    return <p className="problem">There is no time zone {zone}, such as Europe/Berlin.</p>;
  const times = nextTimes(read.text, Date.now(), 10, zone);
  const clock = new Intl.DateTimeFormat(undefined, {
    timeZone: zone,
    weekday: 'short',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  return (
    <>
      <h3>
        Next times <small>by the clock of {zone}</small>
      </h3>
      {times.length === 0 && <p className="problem">It is never due.</p>}
      <ol className="times" aria-label="Next times">
        {times.map((each) => (
          <li key={each}>
            <time dateTime={new Date(each).toISOString()}>{clock.format(each)}</time>
          </li>
        ))}
      </ol>
    </>
  );
}
