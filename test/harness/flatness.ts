/** Whether memory grows: the median of the slopes between all pairs of samples, which spikes do not move. */

/** @returns units of `value` for each unit of `at`; 0 without two samples */
export function growth(samples: readonly { readonly at: number; readonly value: number }[]): number {
  const slopes: number[] = [];
  samples.forEach((first, index) => {
    for (const second of samples.slice(index + 1))
      if (second.at > first.at) slopes.push((second.value - first.value) / (second.at - first.at));
  });
  if (slopes.length === 0) return 0;
  slopes.sort((left, right) => left - right);
  const middle = Math.floor(slopes.length / 2);
  return slopes.length % 2 === 1 ? slopes[middle]! : (slopes[middle - 1]! + slopes[middle]!) / 2;
}
