#!/usr/bin/env node
// Serves the program beside this file: the runtime and the generated code. Its compiled form, program.cache, saves Node.js reading the
// text at each start. It is used if it was made of exactly this text, by a Node.js like this one; otherwise the text is read.
import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

const filename = fileURLToPath(new URL('program.js', import.meta.url));

/** @returns undefined if it is missing or was made of something else */
function readCache(program) {
  let file;
  try {
    file = readFileSync(new URL('program.cache', import.meta.url));
  } catch {
    return undefined;
  }
  const made = createHash('sha256').update(`${process.version} ${process.arch} `).update(program);
  const code = file.subarray(32);
  return made.update(code).digest().equals(file.subarray(0, 32)) ? code : undefined;
}

function readProgram() {
  try {
    return readFileSync(filename);
  } catch (error) {
    const advice = 'copy the whole folder that engine build wrote, or build one file with --out FILE.mjs';
    throw new Error(`${filename} cannot be read (${error.code}): ${advice}`);
  }
}

function load() {
  const bytes = readProgram();
  const text = isAscii(bytes) ? bytes.latin1Slice() : bytes.toString();
  const script = new Script(text, { filename, cachedData: readCache(bytes) });
  return script.runInThisContext()(createRequire(import.meta.url), import.meta.url);
}

export const { artefact, run } = load();
await run();
