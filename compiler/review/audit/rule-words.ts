/** Rules for reading: the SQL of a rule on one line, without the quotes and casts that only Postgres needs. */
import { EVERY_ROW } from '../../../runtime/core/shapes.ts';

/** `{row}."author_id" = {session.x-engine-user-id::integer}` → `author_id = X-Engine-User-Id`. */
export function ruleWords(text: string): string {
  return plain(text, (part) => part.replace(/\s+/g, ' ').replace(/\( /g, '(').replace(/ \)/g, ')')).trim();
}

/** As ruleWords, in the lines of the generated code. */
export function ruleLayout(text: string): string {
  const lines = plain(text, (part) => part)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const indentation = Math.min(...lines.map((line) => line.search(/\S/)));
  return lines.map((line) => line.slice(indentation)).join('\n');
}

function plain(text: string, space: (part: string) => string): string {
  if (text === EVERY_ROW) return 'every row';
  // Beside other tables the row needs a name.
  const row = /\bexists \(/.test(text) ? 'row.' : '';
  const words = text
    .replace(/\{session\.([^{}:]+)::[^{}]+\}/g, (_, name: string) => sessionName(name))
    .replace(/\{session::[^{}]+\}/g, 'the session')
    .replaceAll('{row}.', row)
    .replaceAll('{row}', 'row')
    .replaceAll('{{', '{')
    .replaceAll('}}', '}');
  return outsideLiterals(words, (part) => space(part.replace(/"([a-z_][a-z0-9_]*)"/g, '$1')));
}

/** `x-engine-user-id` → `X-Engine-User-Id`. */
function sessionName(variable: string): string {
  return variable.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}

/** Changes what stands outside of string literals. */
function outsideLiterals(text: string, change: (part: string) => string): string {
  return text
    .split(/('(?:[^']|'')*')/)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('');
}
