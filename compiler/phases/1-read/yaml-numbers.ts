/** Numbers of YAML files with all their digits. */
import { type Document, visit } from 'yaml';
import { isPrintedAgain } from '../../../runtime/core/json/decimal.ts';
import { NumberText } from '../../../runtime/core/types.ts';

/** A number as JSON has it, with its digits; undefined if JSON has none such. @param source as it is written */
export function exactNumber(value: number, source: string): number | NumberText | undefined {
  if (/^0[ox]/.test(source))
    return Number.isSafeInteger(value) ? value : new NumberText(BigInt(source).toString());
  const match = /^([-+]?)0*(\d*)(\.\d*)?([eE][-+]?\d+)?$/.exec(source);
  if (!match) return undefined;
  const [, sign, whole, fraction = '', exponent = ''] = match;
  const text = `${sign === '-' ? '-' : ''}${whole || '0'}${fraction === '.' ? '' : fraction}${exponent}`;
  return isPrintedAgain(text, 0, text.length) ? value : new NumberText(text);
}

/** Replaces the numbers that lost digits, so that `toJS` gives them as NumberText. */
export function keepDigits(document: Document.Parsed): void {
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'number')
        node.value = exactNumber(node.value, node.source ?? '') ?? node.value;
    },
  });
}
