/**
 * Whether a JSON number keeps its value when it becomes one of JavaScript's: those print the shortest decimal that reads
 * back as the same double, so the question is whether the written decimal is that one.
 */

/** Every decimal of that many digits is printed again, far from the ends of the range of doubles. */
const SAFE_DIGITS = 15;

/** No double prints more digits. */
const MAX_DIGITS = 17;

/** Distance from a limit below which a comparison counts as undecided, in units of the last digit; errors are below 1e-12. */
const MARGIN = 1e-6;

/** Powers of ten that are doubles. */
const POWERS = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);

/**
 * True if the number at a place of the text is the value that JavaScript's number of it prints. False for some numbers of
 * which that is true too, where finding out would take longer: for zeros at the end of 16 digits, and exponents.
 */
export function isPrintedAgain(text: string, start: number, end: number): boolean {
  let digits = 0;
  let lead = 0;
  let tail = 0;
  let scale = 0;
  let point = -1;
  let position = text.charCodeAt(start) === 45 ? start + 1 : start;
  for (; position < end; position += 1) {
    const digit = text.charCodeAt(position) - 48;
    if (digit >= 0 && digit <= 9) {
      if (digits > 0 || digit > 0) digits += 1;
      if (digits <= SAFE_DIGITS) lead = lead * 10 + digit;
      else tail = tail * 10 + digit;
    } else if (digit === -2) point = position;
    else break;
  }
  if (digits > MAX_DIGITS) return false;
  if (point >= 0) scale = position - point - 1;
  if (position < end) {
    const exponent = readExponent(text, position + 1, end);
    if (exponent === undefined) return false;
    scale -= exponent;
  }
  if (digits === 0) return text.charCodeAt(start) !== 45;
  if (digits <= SAFE_DIGITS) return scale > -250 && scale < 250;
  const isShort =
    scale >= 0 && scale < POWERS.length ? isShortest(lead, tail, digits - SAFE_DIGITS, scale) : undefined;
  if (isShort !== undefined) return isShort;
  const written = text.slice(start, end);
  return String(Number(written)) === written;
}

/** Undefined for more than two digits: the number is beyond the range of doubles, or not far from it. */
function readExponent(text: string, start: number, end: number): number | undefined {
  const sign = text.charCodeAt(start);
  const first = sign === 43 || sign === 45 ? start + 1 : start;
  if (end - first > 2) return undefined;
  const units = text.charCodeAt(end - 1) - 48;
  const exponent = end - first === 2 ? (text.charCodeAt(first) - 48) * 10 + units : units;
  return sign === 45 ? -exponent : exponent;
}

/**
 * True if the decimal `(lead · 10^tailDigits + tail) / 10^scale` of 16 or 17 digits is the shortest one of its double, and
 * the nearest of those; undefined if that is too close to call. Computed with pairs of doubles, whose sum has some 32 digits.
 */
function isShortest(lead: number, tail: number, tailDigits: number, scale: number): boolean | undefined {
  const factor = POWERS[tailDigits]!;
  const high = lead * factor;
  const low = productError(lead, factor, high) + tail;
  if (scale === 0 && high + low <= Number.MAX_SAFE_INTEGER) return true;
  const power = POWERS[scale]!;
  const estimate = (high + low) / power;
  const value = estimate + remainder(high, low, estimate, power) / power;
  // How far the decimal is from its double, in units of its last digit.
  const distance = remainder(high, low, value, power);
  const half = (spacing(value) * power) / 2;
  const limit = Math.min(0.5, half);
  // The neighbours with one digit less must not read as the same double.
  const last = tail % 10;
  const clearance = Math.min(limit - Math.abs(distance), last - distance - half, 10 - last + distance - half);
  return Math.abs(clearance) > MARGIN ? clearance > 0 : undefined;
}

/** `(high + low) - value · power`, all but exactly. */
function remainder(high: number, low: number, value: number, power: number): number {
  const product = value * power;
  return high - product - productError(value, power, product) + low;
}

/** What rounding took from a product: `left · right - product`, exactly (Dekker, Veltkamp). */
function productError(left: number, right: number, product: number): number {
  const leftHigh = upperHalf(left);
  const leftLow = left - leftHigh;
  const rightHigh = upperHalf(right);
  const rightLow = right - rightHigh;
  return leftHigh * rightHigh - product + leftHigh * rightLow + leftLow * rightHigh + leftLow * rightLow;
}

function upperHalf(value: number): number {
  const scaled = value * 134217729;
  return scaled - (scaled - value);
}

/** Distance to the next double. */
function spacing(value: number): number {
  double[0] = value;
  const high = words[1]!;
  words[0] = 0;
  words[1] = (high & 0x7ff00000) - (52 << 20);
  return double[0]!;
}
