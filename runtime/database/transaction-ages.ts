/** Which transactions of a database began long ago, by their numbers: looks at its snapshots are remembered, one for each second. */

/** Milliseconds between two that are remembered. */
const STEP = 1000;

export class TransactionAges {
  /** From the oldest to the newest; `next` is the number of the next transaction at that moment. */
  #seen: { readonly at: number; readonly next: string }[] = [];
  /** Milliseconds; older looks are forgotten. */
  #longest = 0;

  /** @param snapshot as Postgres prints it: `xmin:xmax:…`. Anything else is passed over. */
  note(snapshot: string, now: number): void {
    const next = /^\d+:(\d+):/.exec(snapshot)?.[1];
    const last = this.#seen.at(-1);
    if (next === undefined || (last && now - last.at < STEP)) return;
    this.#seen.push({ at: now, next });
    while (this.#seen.length > 1 && this.#seen[1]!.at < now - this.#longest) this.#seen.shift();
  }

  /** A number that all transactions are below which began at least so many milliseconds ago, as far as is known. */
  begunBefore(milliseconds: number, now: number): string {
    this.#longest = Math.max(this.#longest, milliseconds);
    return this.#seen.findLast(({ at }) => at <= now - milliseconds)?.next ?? '0';
  }
}
