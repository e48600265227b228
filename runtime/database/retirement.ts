/** Databases that the current program no longer uses. */

/** How long such a database stays open (ms): requests that began on an earlier program still use it. */
const PERIOD = 10_000;

interface Closable {
  end(): Promise<void>;
}

/** Closes databases some time after they went out of use. */
export class Retirement<Database extends Closable> {
  readonly #closing = new Map<
    Database,
    { readonly timer: NodeJS.Timeout; readonly close: () => Promise<void> }
  >();
  readonly #report: (error: unknown) => void;

  /** @param report takes errors of closing */
  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  /** Closes a database after the period. @param closed called before it is closed */
  retire(database: Database, closed: () => void = () => {}): void {
    if (this.#closing.has(database)) return;
    const close = async () => {
      this.#closing.delete(database);
      closed();
      await database.end().catch(this.#report);
    };
    this.#closing.set(database, { timer: setTimeout(close, PERIOD).unref(), close });
  }

  /** Keeps a database open that is used again. */
  keep(database: Database): void {
    clearTimeout(this.#closing.get(database)?.timer);
    this.#closing.delete(database);
  }

  /** Closes all retired databases now. */
  async end(): Promise<void> {
    const closing = [...this.#closing.values()];
    for (const { timer } of closing) clearTimeout(timer);
    await Promise.all(closing.map(({ close }) => close()));
  }
}
