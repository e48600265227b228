/**
 * The planted defects of this folder. Each file `<kind>/<name>.yaml` is an edit `{file, snippet, replacement}`, or a list of
 * them: in `file` (from the top of the checkout) the one occurrence of `snippet` becomes `replacement`. The kind is the
 * random test that must find the defect, unless the first edit names a test with `found_by: {file, test}`. Snippets are exact
 * text: faults.test.ts fails when one no longer applies.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

interface Edit {
  readonly file: string;
  readonly snippet: string;
  readonly replacement: string;
  readonly found_by?: NamedTest;
}

/** A test by its file, from the top of the checkout, and a part of its name. */
export interface NamedTest {
  readonly file: string;
  readonly test: string;
}

export interface Fault {
  /** `<kind>/<name>` */
  readonly name: string;
  readonly kind: string;
  readonly edits: readonly Edit[];
  /** The test that must fail; undefined: the random test of the kind. */
  readonly foundBy?: NamedTest;
}

const folder = fileURLToPath(new URL('.', import.meta.url));

/** All faults, sorted by name. */
export function readFaults(): readonly Fault[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.yaml'))
    .map((path) => {
      const read = parse(readFileSync(join(folder, path), 'utf8')) as Edit | readonly Edit[];
      const name = path.slice(0, -'.yaml'.length).split(sep).join('/');
      const edits = 'file' in read ? [read] : read;
      const foundBy = edits[0]!.found_by;
      return { name, kind: name.split('/')[0]!, edits, ...(foundBy && { foundBy }) };
    })
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

/**
 * The text of each edited file with the fault in it.
 * @param root the checkout, or a copy of it
 * @throws Error naming the file and the snippet if it does not occur exactly once
 */
export function applyFault(fault: Fault, root: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { file, snippet, replacement } of fault.edits) {
    const text = texts.get(file) ?? readFileSync(join(root, file), 'utf8');
    const [before, after, ...others] = text.split(snippet);
    if (after === undefined || others.length > 0) {
      const count = after === undefined ? 'does not occur' : `occurs ${others.length + 1} times`;
      throw new Error(
        `test/faults/${fault.name}.yaml no longer applies: its snippet ${count} in ${file}.\n` +
          `Take a snippet that occurs once and plants the same defect. The snippet is:\n${snippet}`,
      );
    }
    texts.set(file, `${before}${replacement}${after}`);
  }
  return texts;
}

/** Plants the fault below `root`; returns what takes it out again. @throws Error as applyFault */
export function plantFault(fault: Fault, root: string): () => void {
  const originals = new Map<string, string>();
  for (const [file, text] of applyFault(fault, root)) {
    originals.set(file, readFileSync(join(root, file), 'utf8'));
    writeFileSync(join(root, file), text);
  }
  return () => {
    for (const [file, text] of originals) writeFileSync(join(root, file), text);
  };
}
