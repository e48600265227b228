/** Options of pg_dump that a request may give: everything but where the dump comes from and where it goes to. */

/** Short options with a value, which follows at once or as the next argument. */
const WITH_VALUE = new Set([...'EFejnNStTZfdhpU']);
/** The dump goes into the answer, and comes from the source. */
const REFUSED_SHORT = new Set([...'fdhpUWwj']);
const REFUSED_LONG = [
  'file',
  'filter',
  'dbname',
  'host',
  'port',
  'username',
  'password',
  'no-password',
  'jobs',
];

/** The first option that a request may not give, if any. Long names may be shortened, as pg_dump itself allows. */
export function refusedOption(options: readonly string[]): string | undefined {
  for (let index = 0; index < options.length; index++) {
    const option = options[index]!;
    if (option.startsWith('--')) {
      const [name = ''] = option.slice(2).split('=');
      if (REFUSED_LONG.some((refused) => refused.startsWith(name))) return option;
    } else if (option.startsWith('-')) {
      const letters = [...option.slice(1)];
      const last = letters.findIndex((letter) => WITH_VALUE.has(letter));
      const read = last < 0 ? letters : letters.slice(0, last + 1);
      if (read.some((letter) => REFUSED_SHORT.has(letter))) return option;
      if (last === letters.length - 1 && last >= 0) index += 1;
    }
  }
  return undefined;
}

const COPY_BEGINS = /^COPY .* FROM stdin;$/;
const COPY_ENDS = '\\.';
/** Lines that say how the dump was made, or what every database has anyway. */
const NOISE =
  /^(--.*|SET .*;|SELECT pg_catalog\.set_config\(.*;|\\(un)?restrict .*|CREATE SCHEMA public;|COMMENT ON SCHEMA public IS .*;)?$/;

/** The dump without comments, settings and empty lines; such lines in data, texts and bodies of functions are kept. */
export function cleanDump(dump: string): string {
  const kept: string[] = [];
  let copying = false;
  let quote: string | undefined;
  for (const line of dump.split('\n')) {
    if (copying) {
      copying = line !== COPY_ENDS;
      kept.push(line);
      continue;
    }
    const outside = quote === undefined;
    if (outside && NOISE.test(line)) continue;
    kept.push(line);
    copying = outside && COPY_BEGINS.test(line);
    quote = quoteAfter(line, quote);
  }
  return `${kept.join('\n')}\n`;
}

/** The quote that is open at a line's end: `'`, `"` or `$tag$`. */
function quoteAfter(line: string, before: string | undefined): string | undefined {
  let open = before;
  for (const [mark] of line.matchAll(/--|'|"|\$(?:[A-Za-z_]\w*)?\$/g)) {
    if (open === undefined) {
      if (mark === '--') return undefined;
      open = mark;
    } else if (mark === open) open = undefined;
  }
  return open;
}
