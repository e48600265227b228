/** Values of rules and presets as people type them. */
import { exactJsonOr } from '../../../core/json/exact-json.ts';
import type { Json } from '../../../core/json/json.ts';
import { jsonText } from '../../../core/json/json-value.ts';
import type { ColumnOperator, TableColumn } from '../../proposal-questions.ts';

/** The text of a value: strings unchanged, everything else as JSON. */
export function valueText(value: Json | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : jsonText(value);
}

/**
 * The value of a text: a number or true or false where the column has such values and the text is one; JSON where it is a list,
 * an object or has quotes around it; otherwise the text itself, which may name a session variable.
 */
export function readValue(
  text: string,
  input: TableColumn['input'],
  operand: ColumnOperator['operand'] = 'value',
): Json {
  const trimmed = text.trim();
  const isJson =
    operand === 'list' || operand === 'json'
      ? /^[[{"]/.test(trimmed)
      : operand === 'boolean' || input === 'boolean'
        ? /^(true|false)$/.test(trimmed)
        : input === 'number'
          ? /^-?\d/.test(trimmed)
          : input === 'json' && /^[[{"]/.test(trimmed);
  return isJson ? (exactJsonOr(trimmed, text) as Json) : text;
}
