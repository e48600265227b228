/** When a cron trigger fires: five fields, in UTC or by the clock of a time zone. */
import { isTimeZone, readCron } from '../../core/schedule/cron.ts';
import { convert } from '../combinators.ts';
import { text, textLike } from '../values.ts';

/** Exported with nicknames and names written out as numbers. */
export const cronSchedule = convert(text, {
  read: (given, fail) => {
    const read = readCron(given);
    if ('text' in read) return read.text;
    fail(`${JSON.stringify(given)} is not a cron schedule: ${read.problem}`);
    return given;
  },
  write: (schedule) => schedule,
});

/** A name of the IANA database, such as `Europe/Berlin`. */
export const timeZone = textLike(
  'time zone',
  isTimeZone,
  (given) =>
    `${JSON.stringify(given)} is not the name of a time zone: use one of the IANA database, such as "Europe/Berlin"`,
);
