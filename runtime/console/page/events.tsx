/** Events, schedules and asynchronous actions: one page for each step of the address. */
import { ActionCalls } from './calls.tsx';
import { CronEvents, OneOffEvents, TriggerEvents } from './event-lists.tsx';
import { OneEvent } from './one-event.tsx';
import type { PageProps } from './parts.tsx';
import { Queues } from './queues.tsx';

export function Events({ state, steps }: PageProps) {
  const [kind, first = '', second = '', third = ''] = steps;
  const key = steps.join('/');
  switch (kind) {
    case 'trigger':
      return third === '' ? (
        <TriggerEvents key={key} state={state} source={first} name={second} />
      ) : (
        <OneEvent key={key} state={state} of={{ kind, source: first, trigger: second }} id={third} />
      );
    case 'cron':
      return second === '' ? (
        <CronEvents key={key} state={state} name={first} />
      ) : (
        <OneEvent key={key} state={state} of={{ kind, trigger: first }} id={second} />
      );
    case 'one-off':
      return first === '' ? (
        <OneOffEvents key={key} state={state} />
      ) : (
        <OneEvent key={key} state={state} of={{ kind }} id={first} />
      );
    case 'action':
      return <ActionCalls key={key} name={first} />;
    default:
      return <Queues state={state} />;
  }
}
