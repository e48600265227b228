/**
 * The version of this package, with the `v` that the API writes before it. Tools of this API family choose by it what they
 * may ask for, so the major number is that of the API.
 */
import { packageVersion } from './package-version.ts';

export const serverVersion = `v${packageVersion}`;

/** `User-Agent` of every outgoing call. */
export const USER_AGENT = `engine/${serverVersion}`;
