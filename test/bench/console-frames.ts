/** Frames of a scroll in Chromium: the time between them, and the processor time of the page in each, which a busy machine changes less. */
import type { Page } from 'playwright-core';

/** Milliseconds. */
export interface Frames {
  /** Between two frames, of 95 of 100 at most. */
  readonly between: number;
  /** Of the page's thread, each. */
  readonly cpu: number;
}

/** Frames of a scroll. */
const COUNT = 180;

/** @param down pixels of a frame. As text: the types of benchmarks are not those of a browser. */
export async function scrollFrames(page: Page, selector: string, down: number): Promise<Frames> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * metrics.find(({ name }) => name === 'TaskDuration')!.value;
  };
  const before = await busy();
  const times: number[] = await page.evaluate(`new Promise((done) => {
    const grid = document.querySelector('${selector}');
    const times = [];
    grid.scrollTo(0, 0);
    let last = performance.now();
    const frame = (now) => {
      times.push(now - last);
      last = now;
      grid.scrollTop += ${down};
      grid.scrollLeft += ${down / 10};
      if (times.length < ${COUNT}) requestAnimationFrame(frame);
      else done(times);
    };
    requestAnimationFrame(frame);
  })`);
  const cpu = ((await busy()) - before) / COUNT;
  await session.detach();
  return { between: times.sort((left, right) => left - right)[Math.floor(0.95 * COUNT)]!, cpu };
}
