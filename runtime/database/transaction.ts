/**
 * A read-write transaction on a connection of its own. It begins with its first statement and, where that is known to be
 * the last one, ends with it: what begins and ends it travels with the statements. One statement alone needs neither.
 */
import type { PooledConnection } from './connection.ts';
import { CommitFailedError, connectionLost, statementLost } from './failures.ts';
import type { SourceTransaction, Statement } from './source.ts';
import { commandBytes, type Surroundings, type TextRow } from './text-query.ts';

const COMMIT = commandBytes('commit');
const SAVEPOINT = commandBytes('savepoint attempt');

export class Transaction implements SourceTransaction {
  readonly #connection: PooledConnection;
  readonly #kind: string;
  readonly #statementName: (text: string) => string;
  readonly #unnamed: boolean;
  #state: 'new' | 'open' | 'ended' = 'new';
  /** Commands to be sent with the next statement. */
  #pending: readonly Buffer[];

  /**
   * @param kind isolation level and access mode, as SQL has them
   * @param unnamed statements are not prepared: another backend may be behind the connection each time
   */
  constructor(
    connection: PooledConnection,
    kind: string,
    statementName: (text: string) => string,
    unnamed: boolean,
  ) {
    this.#connection = connection;
    this.#kind = kind;
    this.#statementName = statementName;
    this.#unnamed = unnamed;
    this.#pending = [commandBytes(`begin isolation level ${kind}`)];
  }

  readTexts({ text }: Statement, values: TextRow, isLast = false): Promise<TextRow> {
    if (this.#state === 'ended') throw new Error('a statement follows the last one of its transaction');
    const surroundings = this.#surroundings(isLast);
    return new Promise((resolve, reject) => {
      this.#connection.send(
        { text, name: this.#statementName(text), values },
        0,
        this.#unnamed,
        (error, row) => {
          if (row && isLast) this.#state = 'ended';
          if (row) {
            if (error) reject(new CommitFailedError(error));
            else resolve(row);
            return;
          }
          if (statementLost(error)) this.#connection.statements.forget(text);
          reject(error);
        },
        surroundings,
      );
    });
  }

  /** Takes what is pending, and says what is sent with a statement. */
  #surroundings(isLast: boolean): Surroundings | undefined {
    // A single statement is a transaction by itself, of the kind that is the session's default.
    if (isLast && this.#state === 'new' && this.#connection.defaults === this.#kind) {
      this.#pending = [];
      return undefined;
    }
    this.#state = 'open';
    const pending = this.#pending;
    this.#pending = [];
    if (pending.length === 0 && !isLast) return undefined;
    return {
      ...(pending.length > 0 && { before: Buffer.concat(pending) }),
      ...(isLast && { after: COMMIT }),
    };
  }

  async attempt<Result>(part: () => Promise<Result>): Promise<Result> {
    this.#pending = [...this.#pending, SAVEPOINT];
    try {
      return await part();
    } catch (error) {
      if (this.#pending.at(-1) === SAVEPOINT) this.#pending = this.#pending.slice(0, -1);
      else {
        // Where not even that works, the transaction ends as well; what went wrong first is what there is to tell.
        await this.#connection.client.query('rollback to savepoint attempt').catch(() => {
          throw error;
        });
      }
      throw error;
    }
  }

  /** Ends the transaction if it has not ended with its last statement. */
  async commit(): Promise<void> {
    if (this.#state !== 'open') return;
    await this.#connection.client.query('commit');
    this.#state = 'ended';
  }

  /** Undoes what was done, if anything was. */
  async rollBack(): Promise<void> {
    if (this.#state !== 'open') return;
    try {
      await this.#connection.client.query('rollback');
    } catch (error) {
      // Whatever state it is in: nobody else gets it. A lost connection has been removed already.
      if (!connectionLost(error)) this.#connection.state = 'retiring';
    }
  }
}
