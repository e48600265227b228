/** The version in package.json. A build of an artefact replaces this module by the text (compiler/artefact/bundle.ts). */
import { readFileSync } from 'node:fs';

const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');

export const packageVersion = (JSON.parse(file) as { version: string }).version;
