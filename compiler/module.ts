/** Where modules of the compiler are, for threads that load them on demand. Importing this file does not load them. */
import { extname } from 'node:path';

export const compilerModule = new URL(`./index${extname(import.meta.url)}`, import.meta.url).href;

/** The module that reads a project's files while they are edited. */
export const projectModule = new URL(`./dev/project-files${extname(import.meta.url)}`, import.meta.url).href;

/** The module that answers the console. */
export const reviewModule = new URL(`./review/console${extname(import.meta.url)}`, import.meta.url).href;
