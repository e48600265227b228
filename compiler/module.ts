/** Where the compiler's module is, for threads that load it on demand. Importing this file does not load it. */
import { extname } from 'node:path';

export const compilerModule = new URL(`./index${extname(import.meta.url)}`, import.meta.url).href;
