/** The messages of a connection, each handed on as a whole. */
import { constants } from 'node:buffer';
import { LongAnswerError } from './failures.ts';

/** The code of a message, and its length, which counts itself and what follows. */
const HEADER_BYTES = 5;
/** Bytes: the most that PostgreSQL puts into a message. What announces more speaks another protocol. */
const MAX_LENGTH = 2 ** 30;
const DATA_ROW = 0x44;
const NOTHING = Buffer.alloc(0);

/**
 * Takes what arrives from a database, and gives the same bytes to `parse` in pieces none of which ends within a message. A message
 * that comes in several pieces is put together once, in a buffer of its length: `pg` copies it into buffers that double, and the
 * answer to a list is one message, so that it took four times its size before it was a text.
 * @param takeRow may take a row that came in several pieces, so that `parse` does not get it
 * @throws LongAnswerError before a message is received that cannot be a text; Error for a length that no message of PostgreSQL has
 */
export function wholeMessages(
  parse: (bytes: Buffer) => void,
  takeRow: (message: Buffer) => boolean = () => false,
): (chunk: Buffer) => void {
  /** The message that has begun: a part of its header, or a buffer of its length of which `filled` bytes are there. */
  let begun = NOTHING;
  let filled = 0;
  return (chunk) => {
    let bytes = chunk;
    if (filled >= HEADER_BYTES) {
      const taken = chunk.copy(begun, filled);
      filled += taken;
      if (filled < begun.length) return;
      const message = begun;
      begun = NOTHING;
      filled = 0;
      if (message[0] !== DATA_ROW || !takeRow(message)) parse(message);
      bytes = chunk.subarray(taken);
    } else if (filled > 0) bytes = Buffer.concat([begun, chunk]);
    const end = endOfMessages(bytes);
    const rest = bytes.length - end;
    if (rest === 0) begun = NOTHING;
    else if (rest < HEADER_BYTES) begun = Buffer.from(bytes.subarray(end));
    else {
      begun = Buffer.allocUnsafe(lengthAt(bytes, end));
      bytes.copy(begun, 0, end);
    }
    filled = rest;
    if (end > 0) parse(rest === 0 ? bytes : bytes.subarray(0, end));
  };
}

/** Where the last message ends that is there as a whole. */
function endOfMessages(bytes: Buffer): number {
  let end = 0;
  while (end + HEADER_BYTES <= bytes.length) {
    const next = end + lengthAt(bytes, end);
    if (next > bytes.length) break;
    end = next;
  }
  return end;
}

/** Bytes of the message that begins there, with its code. */
function lengthAt(bytes: Buffer, start: number): number {
  const length = bytes.readUInt32BE(start + 1);
  if (length < HEADER_BYTES - 1 || length > MAX_LENGTH)
    throw new Error(`the server sent a message of ${length} bytes, which PostgreSQL never does`);
  if (length > constants.MAX_STRING_LENGTH) throw new LongAnswerError();
  return length + 1;
}
