/**
 * Errors of statements that a cluster answers because it distributes tables otherwise than the statements expect.
 * @rule Which errors make a server look whether a cluster distributes tables otherwise?
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { failedCheck } from '../core/mutation/check.ts';
import { StatementFailedError } from './failures.ts';
import type { SourceConnection } from './source.ts';

/** Milliseconds between two looks: clients that make statements fail cause no more than one in this time. */
const INTERVAL = 1000;
/** Milliseconds that an error waits for the look, so that the request after it is planned for what was found. */
const LOOK_TIMEOUT = 2000;

/**
 * Classes of SQLSTATE. Citus says `0A` of forms that it does not take, and `XX` where it gives no code: for tables that a worker reads on other
 * nodes, and for writes that it proves to be empty. `42`: a node does not have the table or function. `55`: a table is being changed. `22004`:
 * a row without a value of the distribution column.
 */
const EXPLAINED = /^(0A|42|55|XX|22004)/;

function mayFollow(error: unknown): boolean {
  const reported = error instanceof StatementFailedError ? error.cause : error;
  if (!(reported instanceof pg.DatabaseError)) return false;
  const { code = '', message } = reported;
  // The setting of written rows is empty on a node that did not keep them.
  return EXPLAINED.test(code) || (code === '22P02' && failedCheck(message) === undefined);
}

/**
 * A connection whose statements have the distribution looked at when they fail in such a way. The error waits for the look, unless there was one
 * just now: then another one follows. Databases without Citus are not looked at.
 * @param look fails only by defect
 */
export function lookingAtErrors(connection: SourceConnection, look: () => Promise<void>): SourceConnection {
  let current: Promise<void> | undefined;
  let isAsked = false;
  const begin = (): Promise<void> => {
    isAsked = false;
    const looked = look();
    current = Promise.all([looked, delay(INTERVAL, undefined, { ref: false })]).then(() => {
      current = undefined;
      if (isAsked) void begin();
    });
    return looked;
  };
  const watched =
    <Values extends readonly unknown[], Answer>(run: (...values: Values) => Promise<Answer>) =>
    (...values: Values) =>
      run(...values).catch(async (error: unknown): Promise<never> => {
        if (connection.isCluster() && mayFollow(error)) {
          if (current) isAsked = true;
          else await Promise.race([begin(), delay(LOOK_TIMEOUT, undefined, { ref: false })]);
        }
        throw error;
      });
  return {
    ...connection,
    readTexts: watched(connection.readTexts),
    writeTexts: watched(connection.writeTexts),
    readTogether: watched(connection.readTogether),
    poll: watched(connection.poll),
    query: watched(connection.query) as SourceConnection['query'],
  };
}
