/** Temporary folders of tests. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

export interface TestFolder {
  /** The path of the folder, or of something in it. */
  at(...path: string[]): string;
  /** Writes a file, with the folders that lead to it. */
  write(path: string, content: string | Buffer): void;
}

/** A folder that is new for each test of the file, and removed after it. Called once, outside of tests. */
export function eachInFolder(): TestFolder {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'engine-test-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const at = (...path: string[]) => join(folder, ...path);
  return {
    at,
    write: (path, content) => {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
    },
  };
}
