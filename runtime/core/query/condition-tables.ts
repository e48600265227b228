/**
 * How many tables the conditions of an operation look at, besides those whose rows it reads. PostgreSQL's time and memory grow with the
 * square of the tables that it joins: a request of 80 kB that joined 4,000 took minutes and 13 GB, and such a statement cannot be
 * ended while it is analysed.
 * @rule How many tables may the conditions of a request look at?
 */
import { EngineError, type Path } from '../errors.ts';

/** Maximum tables that PostgreSQL may plan together: 0.1 s and 20 MB. Each further one is planned for itself. */
const MAX_TOGETHER = 100;
/** Maximum tables in the conditions of an operation: 1 s and 150 MB. */
const MAX_TABLES = 3000;
/** Maximum sum of their depths, as PostgreSQL's time grows with the square of the depth, too: 440 below each other, 3 s and 500 MB. */
const MAX_DEPTHS = 100_000;

export class ConditionTables {
  #count = 0;
  #depth = 0;
  #depths = 0;

  /**
   * A condition looks at one more table, until `leave`.
   * @returns whether PostgreSQL may plan it together with others
   * @throws EngineError when there are too many
   */
  enter(path: Path): boolean {
    this.#count += 1;
    this.#depth += 1;
    this.#depths += this.#depth;
    if (this.#count > MAX_TABLES)
      throw refused(`the conditions of the operation look at more than ${MAX_TABLES} tables`, path);
    if (this.#depths > MAX_DEPTHS)
      throw refused('the conditions of the operation look at too many tables below each other', path);
    return this.#count <= MAX_TOGETHER;
  }

  leave(): void {
    this.#depth -= 1;
  }
}

function refused(message: string, path: Path): EngineError {
  return new EngineError('validation-failed', message, { path });
}
