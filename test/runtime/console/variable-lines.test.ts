/** Session variables as people type them, while the names that a role needs are added. */
import { expect, test } from 'vitest';
import { withVariables } from '../../../runtime/console/page/variable-lines.ts';

test.each([
  ['', 'x-engine-a: \nx-engine-b: '],
  ['x-engine-b: 1', 'x-engine-b: 1\nx-engine-a: '],
  ['X-Engine-A: 1\nx-engine-b:', 'X-Engine-A: 1\nx-engine-b: '],
  ['x-engine-old: \n  \nx-engine-older:', 'x-engine-a: \nx-engine-b: '],
  // What someone types at this moment.
  ['x-eng', 'x-eng\nx-engine-a: \nx-engine-b: '],
  ['nonsense', 'nonsense\nx-engine-a: \nx-engine-b: '],
])('names of variables are added to %j and nothing that was typed is lost', (text, expected) => {
  expect(withVariables(text, ['x-engine-a', 'x-engine-b'])).toBe(expected);
});
