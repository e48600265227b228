/**
 * Checks what clients saw of a list that they append to, in the manner of Jepsen's list-append: from their requests and
 * answers alone, whatever happened to the databases meanwhile. For one list, appended to in place, everything that a strictly
 * serialisable database would never show is one of the anomalies below.
 */

/** Times are by one clock. */
export interface Append {
  readonly value: string;
  readonly began: number;
  readonly ended: number;
  /** False: it failed, or nobody knows whether it happened. */
  readonly isAcknowledged: boolean;
}

export interface ListRead {
  readonly values: readonly string[];
  readonly began: number;
  readonly ended: number;
}

/** What should never be, in words. @param last the list after everything has ended */
export function anomalies(
  appends: readonly Append[],
  reads: readonly ListRead[],
  last: readonly string[],
): string[] {
  const found: string[] = [];
  const place = new Map(last.map((value, index) => [value, index]));
  const known = new Map(appends.map((append) => [append.value, append]));
  if (place.size < last.length) found.push('a value is in the list twice');
  for (const value of last) if (!known.has(value)) found.push(`${value} was never appended`);
  for (const { value, isAcknowledged } of appends)
    if (isAcknowledged && !place.has(value)) found.push(`${value} was acknowledged and is lost`);
  for (const { values, began, ended } of reads) {
    if (values.some((value, index) => last[index] !== value))
      found.push(`a read saw [${values.join()}], which the list never was`);
    const seen = new Set(values);
    for (const append of appends) {
      if (append.isAcknowledged && append.ended < began && !seen.has(append.value))
        found.push(`a read missed ${append.value}, which was acknowledged before`);
      if (append.began > ended && seen.has(append.value))
        found.push(`a read saw ${append.value} before it was appended`);
    }
  }
  const ordered = appends.filter(({ value }) => place.has(value));
  for (const first of ordered)
    for (const second of ordered)
      if (
        first.isAcknowledged &&
        first.ended < second.began &&
        place.get(first.value)! > place.get(second.value)!
      )
        found.push(`${second.value} is before ${first.value}, which was acknowledged before it began`);
  return found;
}
