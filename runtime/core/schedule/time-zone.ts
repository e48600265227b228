/** Wall clocks of time zones. Local times are milliseconds as if the wall clock showed UTC. */

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

export interface WallClock {
  /** Local date and time at an instant. */
  localTime(instant: number): number;
  /**
   * The first instant at which the clock shows a local time; where it skips that time, the instant at which it goes on.
   */
  instantOf(local: number): number;
}

export function wallClock(zone: string): WallClock {
  const format = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const localTime = (instant: number) => {
    const part = Object.fromEntries(
      format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
    ) as Readonly<Record<string, number>>;
    return Date.UTC(part.year!, part.month! - 1, part.day, part.hour, part.minute, part.second);
  };
  const offsetAt = (instant: number) => localTime(instant) - instant;
  const instantOf = (local: number) => {
    for (let shown = local; shown < local + DAY + MINUTE; shown += MINUTE) {
      // Offsets before and after a change of the clock.
      const instants = [shown - offsetAt(shown - DAY), shown - offsetAt(shown + DAY)];
      const found = instants.filter((instant) => localTime(instant) === shown);
      if (found.length > 0) return Math.min(...found);
    }
    throw new RangeError(`the time zone ${zone} skips more than a day`);
  };
  return { localTime, instantOf };
}
