/** The version of this package, as `/v1/version` and the command line tell it. */
import { readFileSync } from 'node:fs';

const file = readFileSync(new URL('../package.json', import.meta.url), 'utf8');

export const version = `v${(JSON.parse(file) as { version: string }).version}`;

/** `User-Agent` of every outgoing call. */
export const USER_AGENT = `engine/${version}`;
