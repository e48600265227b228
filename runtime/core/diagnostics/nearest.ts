/**
 * The candidate that `name` was probably meant to be, or undefined if none is near: for "did you mean" advice. Near is
 * an edit distance (insert, delete, replace, swap of neighbours; case counts half) of at most a third of the name's length.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 0.25;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) > bestDistance) continue;
    const distance =
      candidate.toLowerCase() === name.toLowerCase()
        ? 0.5
        : editDistance(name.toLowerCase(), candidate.toLowerCase());
    // Ties go to the name that sorts first, so that the same input gives the same text.
    if (distance < bestDistance || (distance === bestDistance && best !== undefined && candidate < best)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Optimal string alignment distance. */
function editDistance(left: string, right: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      let distance = Math.min(
        previous[column]! + 1,
        current[column - 1]! + 1,
        previous[column - 1]! + (same ? 0 : 1),
      );
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (swapped) distance = Math.min(distance, beforePrevious[column - 2]! + 1);
      current.push(distance);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[right.length]!;
}
