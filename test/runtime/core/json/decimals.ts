/** A decimal as its sign, its digits without zeros around them, and its exponent: the same for equal values. */
export function normal(text: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(
    text,
  )!;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  return kept === ''
    ? `${sign}0`
    : `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}
