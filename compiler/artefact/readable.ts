/** The generated code within an artefact. It is readable as it runs, for people and for `engine audit`. */

/** The file of an artefact's folder that has its program. */
export const PROGRAM = 'program.js';

const START = `
// The generated code, as it runs:
((contract) => {
`;
const END = `
})
// The end of the generated code.
`;

/** A bundled module with the free variable `contract`, as a function of it that gives what the module exports by default. */
export function embed(module: string): string {
  const exported = /\nexport \{\n {2}(\w+) as default\n\};\n$/.exec(module);
  if (!exported) throw new Error('the generated code has no default export');
  return `${START}${module.slice(0, exported.index)}\nreturn ${exported[1]};${END}`;
}

/** The generated code of an artefact, at its original lines; undefined if the text is not an artefact. */
export function extract(artefact: string): string | undefined {
  const start = artefact.indexOf(START);
  const end = artefact.lastIndexOf(END);
  if (start < 0 || end < start) return undefined;
  const lines = artefact.slice(0, start + START.length).split('\n').length - 1;
  return '\n'.repeat(lines) + artefact.slice(start + START.length, end);
}
