/** Problems that are being mended elsewhere; each entry goes with its mending. */
export const KNOWN: readonly RegExp[] = [
  // JSON texts that are nested deeply. What the server logs of any other defect is still seen.
  /Maximum call stack size exceeded/,
  /^closed with 4500$/,
  /^Internal Server Error$/,
];
