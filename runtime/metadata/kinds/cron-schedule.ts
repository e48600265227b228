/** When a cron trigger fires: five fields, in UTC. */
import { parseCron } from '../../core/schedule/cron.ts';
import { isTimeZone } from '../../core/schedule/time-zone.ts';
import { convert } from '../combinators.ts';
import { text, textLike } from '../values.ts';

/** Exported with nicknames and names written out as numbers. */
export const cronSchedule = convert(text, {
  read: (given, fail) => {
    const cron = parseCron(given);
    if (cron === undefined) fail(`${JSON.stringify(given)} is not a cron schedule of five fields`);
    return cron?.text ?? given;
  },
  write: (schedule) => schedule,
});

/** A name of the IANA database, such as `Europe/Berlin`. */
export const timeZone = textLike(
  'time zone',
  isTimeZone,
  (given) => `${JSON.stringify(given)} is not the name of a time zone`,
);
