/**
 * Splits SQL text into its statements at the semicolons that end them: not those in quoted names and strings,
 * dollar-quoted bodies, comments, parentheses (rules), or the bodies of SQL-standard functions (`begin atomic … end`). The parts
 * are sent as they stand; a text that does not end properly is one last part, and Postgres says what is wrong with it.
 */
export function splitStatements(sql: string): readonly string[] {
  const statements: string[] = [];
  for (let start = 0; start < sql.length; ) {
    const end = statementEnd(sql, start);
    const statement = sql.slice(start, end);
    if (!isBlank(statement)) statements.push(statement);
    start = end + 1;
  }
  return statements;
}

/** Position of the semicolon that ends the statement beginning at `start`; the end of the text if there is none. */
export function statementEnd(sql: string, start: number): number {
  let position = start;
  /** Open `begin atomic` and `case` blocks. */
  let depth = 0;
  let parentheses = 0;
  let sawBegin = false;
  while (position < sql.length) {
    const skipped = skipQuoted(sql, position);
    if (skipped > position) {
      position = skipped;
      continue;
    }
    const word = /^[a-z_][a-z0-9_$]*/i.exec(sql.slice(position, position + 64))?.[0].toLowerCase();
    if (word !== undefined) {
      if (word === 'atomic' && sawBegin) depth += 1;
      else if (word === 'case' && depth > 0) depth += 1;
      else if (word === 'end' && depth > 0) depth -= 1;
      sawBegin = word === 'begin';
      position += word.length;
      continue;
    }
    if (sql[position] === '(') parentheses += 1;
    else if (sql[position] === ')') parentheses = Math.max(0, parentheses - 1);
    else if (sql[position] === ';' && depth === 0 && parentheses === 0) return position;
    position += 1;
  }
  return sql.length;
}

/** Position of what comes first behind blanks and comments. */
export function skipBlanks(sql: string, start: number): number {
  let position = start;
  while (position < sql.length) {
    if (/\s/.test(sql[position]!)) position += 1;
    else if (sql.startsWith('--', position) || sql.startsWith('/*', position))
      position = skipQuoted(sql, position);
    else break;
  }
  return position;
}

/** Where the quoted text or comment that begins here ends; the same position if none begins. */
function skipQuoted(sql: string, position: number): number {
  const rest = (text: string, from: number) => {
    const found = sql.indexOf(text, from);
    return found < 0 ? sql.length : found + text.length;
  };
  const two = sql.slice(position, position + 2);
  if (two === '--') return position + /[^\r\n]*[\r\n]?/.exec(sql.slice(position))![0].length;
  if (two === '/*') return skipComment(sql, position);
  if (/^e'/i.test(two) && !isWordCharacter(sql[position - 1])) return skipEscapeString(sql, position + 2);
  if (sql[position] === "'") return rest("'", position + 1);
  if (sql[position] === '"') return rest('"', position + 1);
  if (sql[position] === '$' && !isWordCharacter(sql[position - 1])) {
    const tag = /^\$(?:[a-z_\u0080-\uffff][a-z0-9_\u0080-\uffff]*)?\$/i.exec(
      sql.slice(position, position + 70),
    )?.[0];
    if (tag !== undefined) return rest(tag, position + tag.length);
  }
  return position;
}

/** Comments nest. */
function skipComment(sql: string, start: number): number {
  let depth = 0;
  for (let position = start; position < sql.length; position += 1) {
    const two = sql.slice(position, position + 2);
    if (two === '/*') depth += 1;
    else if (two === '*/') depth -= 1;
    else continue;
    position += 1;
    if (depth === 0) return position + 1;
  }
  return sql.length;
}

/** `E'…'`, in which a backslash escapes the quote. */
function skipEscapeString(sql: string, start: number): number {
  for (let position = start; position < sql.length; position += 1) {
    if (sql[position] === '\\') position += 1;
    else if (sql[position] === "'") return position + 1;
  }
  return sql.length;
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[a-z0-9_$]/i.test(character);
}

function isBlank(statement: string): boolean {
  return skipBlanks(statement, 0) >= statement.length;
}
