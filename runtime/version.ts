/** The version of this package, as `/v1/version` and the command line tell it. */
import { packageVersion } from './package-version.ts';

export const version = `v${packageVersion}`;

/** `User-Agent` of every outgoing call. */
export const USER_AGENT = `engine/${version}`;
