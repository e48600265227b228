import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import { guarded } from '../../../runtime/core/guarded.ts';

test('the last resort gets what a handler throws, and the event', () => {
  const emitter = new EventEmitter();
  const seen: unknown[] = [];
  const fail = (left: number, right: string) => {
    throw new TypeError(`${left} ${right}`);
  };
  emitter.on(
    'event',
    guarded(fail, (error, left, right) => seen.push(error, left, right)),
  );
  emitter.emit('event', 1, 'a');
  expect(seen).toEqual([new TypeError('1 a'), 1, 'a']);
});

test('and what the promise of a handler is rejected with', async () => {
  const emitter = new EventEmitter();
  const fail = async (number: number) => {
    throw new RangeError(String(number));
  };
  emitter.on(
    'event',
    guarded(fail, (error) => emitter.emit('failed', error)),
  );
  const failed = once(emitter, 'failed');
  emitter.emit('event', 7);
  expect(await failed).toEqual([new RangeError('7')]);
});
