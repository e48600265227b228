/** Who is served next: models without a clock, where each piece of work costs what the test says. */
import { describe, expect, test } from 'vitest';
import type { Cohort } from '../../../runtime/live/cohort.ts';
import { type Batch, type Due, type DueOwner, LiveLane, type Reader } from '../../../runtime/live/lane.ts';
import { type Kind, type Owner, Shares } from '../../../runtime/live/shares.ts';
import { Turns } from '../../../runtime/live/turns.ts';

type Leaves = ReadonlyMap<string, { readonly leaf: Owner<string>; readonly cost: number }>;

describe('shares', () => {
  /** Serves owners that always have work. @returns how often each was served */
  const serve = (shares: Shares<string>, leaves: Leaves, turns: number) => {
    const served: Record<string, number> = {};
    for (const [name, { leaf }] of leaves) shares.add(leaf, 'quick', name);
    for (let turn = 0; turn < turns; turn += 1) {
      const { work: name } = shares.take(['quick', 'slow'])!;
      const { leaf, cost } = leaves.get(name)!;
      served[name] = (served[name] ?? 0) + 1;
      shares.charge(leaf, cost);
      shares.add(leaf, 'quick', name);
    }
    return served;
  };
  const open = (paths: Readonly<Record<string, readonly [path: string, cost: number]>>) => {
    const shares = new Shares<string>();
    const leaves: Leaves = new Map(
      Object.entries(paths).map(([name, [path, cost]]) => [
        name,
        { leaf: shares.enter(path.split('/')), cost },
      ]),
    );
    return { shares, leaves };
  };

  test('are equal between roles, sessions of a role, and sockets of a session', () => {
    const { shares, leaves } = open({
      anonymous1: ['anonymous/a/1', 1],
      anonymous2: ['anonymous/a/2', 1],
      ann: ['user/ann/3', 1],
      bob1: ['user/bob/4', 1],
      bob2: ['user/bob/5', 1],
    });
    const served = serve(shares, leaves, 800);
    expect(served).toEqual({ anonymous1: 200, anonymous2: 200, ann: 200, bob1: 100, bob2: 100 });
  });

  test('are of cost, not of turns', () => {
    const { shares, leaves } = open({ dear: ['a/x/1', 9], cheap: ['b/y/2', 1] });
    expect(serve(shares, leaves, 1000)).toEqual({ dear: 100, cheap: 900 });
  });

  test('an owner that wanted nothing comes next, and is owed nothing for that time', () => {
    const { shares, leaves } = open({ busy: ['a/x/1', 1] });
    serve(shares, leaves, 1000);
    const late = { leaf: shares.enter(['b', 'y', '2']), cost: 1 };
    shares.add(late.leaf, 'quick', 'late');
    expect(shares.take(['quick'])!.work).toBe('late');
    const served = serve(shares, new Map([...leaves, ['late', late]]), 100);
    expect(Math.abs(served.late! - served.busy!)).toBeLessThanOrEqual(2);
  });

  test('closing sockets and opening others changes nothing for other roles', () => {
    const shares = new Shares<string>();
    const quiet = shares.enter(['quiet', 'q', 'q']);
    shares.add(quiet, 'quick', 'quiet');
    let served = 0;
    for (let turn = 0; turn < 200; turn += 1) {
      const socket = shares.enter(['anonymous', 'a', String(turn)]);
      shares.add(socket, 'quick', 'socket');
      const isQuiet = shares.take(['quick'])!.work === 'quiet';
      shares.charge(isQuiet ? quiet : socket, 1);
      if (isQuiet) {
        served += 1;
        shares.add(quiet, 'quick', 'quiet');
      }
      shares.leave(socket);
    }
    expect(served).toBeGreaterThanOrEqual(99);
  });

  test('with random owners, none that waits falls behind', () => {
    const shares = new Shares<number>();
    let state = 7;
    const random = (below: number) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    const leaves = Array.from({ length: 60 }, (_, index) => shares.enter(['r', `s${index}`, 'w']));
    const used = leaves.map(() => 0);
    for (const [index, leaf] of leaves.entries()) shares.add(leaf, random(2) === 0 ? 'quick' : 'slow', index);
    for (let turn = 0; turn < 20_000; turn += 1) {
      const { work: index } = shares.take(['quick', 'slow'])!;
      const cost = 1 + random(10);
      used[index]! += cost;
      shares.charge(leaves[index]!, cost);
      shares.add(leaves[index]!, random(2) === 0 ? 'quick' : 'slow', index);
    }
    expect(Math.max(...used) - Math.min(...used)).toBeLessThanOrEqual(10);
  });
});

describe('the lane of live reads', () => {
  /** A reader whose reads end when the test says so. */
  const open = (lane: LiveLane, names: string[], kind: Kind = 'quick') => {
    const endings: (() => void)[] = [];
    const reader = {
      kind,
      estimate: 1,
      take: (due: Due): Batch | undefined => {
        const [cohort] = due.cohorts;
        if (!cohort) return undefined;
        due.cohorts.delete(cohort);
        names.push(cohort.key);
        return { cohorts: [cohort], owners: [due.owner] };
      },
      read: () => new Promise<void>((resolve) => endings.push(resolve)),
      ended: () => {},
    };
    const due = (owner: DueOwner, ...keys: string[]) => {
      const cohorts = new Set(keys.map((key) => ({ key }) as Cohort));
      lane.add({ reader: reader as Reader, owner, cohorts, parts: [], learns: false });
    };
    const end = async () => {
      endings.shift()!();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { due, end };
  };

  test('serves another owner next, however many reads of one wait', async () => {
    const lane = new LiveLane();
    const read: string[] = [];
    const { due, end } = open(lane, read);
    const many = lane.shares.enter(['anonymous', 'a', '1']);
    for (let index = 0; index < 1500; index += 1) due(many, `many ${index}`);
    lane.fill();
    await end();
    due(lane.shares.enter(['user', 'u', '2']), 'one');
    due(lane.shares.enter(['anonymous', 'b', '3']), 'neighbour');
    due(lane.shares.enter(['anonymous', 'a', '4']), 'same session');
    const before = read.length;
    for (let index = 0; index < 6; index += 1) await end();
    expect(read.slice(before, before + 6)).toEqual(
      expect.arrayContaining(['one', 'neighbour', 'same session']),
    );
  });

  test('leaves a connection to reads that are quick', async () => {
    const lane = new LiveLane();
    const read: string[] = [];
    const slow = open(lane, read, 'slow');
    const quick = open(lane, read);
    slow.due(lane.shares.enter(['a', 'a', '1']), 'slow 1', 'slow 2', 'slow 3');
    lane.fill();
    expect(read).toEqual(['slow 1', 'slow 2']);
    quick.due(lane.shares.enter(['b', 'b', '2']), 'quick');
    lane.fill();
    expect(read).toEqual(['slow 1', 'slow 2', 'quick']);
    await slow.end();
    expect(read.at(-1)).toBe('slow 3');
  });
});

describe('turns of sockets', () => {
  const spin = (milliseconds: number) => {
    const until = performance.now() + milliseconds;
    while (performance.now() < until);
  };
  const socket = () => {
    const calls: string[] = [];
    return { calls, pause: () => calls.push('pause'), resume: () => calls.push('resume') };
  };

  test('keep the order of a socket, and let others in between', async () => {
    const turns = new Turns();
    const [flood, other] = [socket(), socket()];
    const [many, one] = [turns.open(flood, '1'), turns.open(other, '2')];
    const done: number[] = [];
    const finished = new Promise<void>((resolve) => {
      for (let index = 0; index < 100; index += 1)
        many.take(() => {
          spin(1);
          done.push(index);
          if (index === 99) resolve();
        });
    });
    expect(done.length).toBeLessThan(10);
    const between = new Promise<number>((resolve) => one.take(() => resolve(done.length)));
    const timer = new Promise<number>((resolve) => setImmediate(() => resolve(done.length)));
    expect(await between).toBeLessThan(20);
    expect(await timer).toBeLessThan(20);
    await finished;
    expect(done).toEqual(Array.from({ length: 100 }, (_, index) => index));
    // What the client sends beyond that waits in its connection.
    expect(flood.calls.at(-1)).toBe('resume');
    expect(flood.calls).toContain('pause');
  });

  test('what is put in front comes first, and nothing comes after the end', async () => {
    const turns = new Turns();
    const turn = turns.open(socket(), '1');
    const done: string[] = [];
    turn.take(() => spin(10));
    turn.take(() => done.push('last'));
    turn.takeFirst([() => done.push('first'), () => done.push('second')]);
    await expect.poll(() => done).toEqual(['first', 'second', 'last']);
    turn.take(() => spin(10));
    turn.take(() => done.push('never'));
    turn.close();
    turn.identify(['a', 'b', '1']);
    const later = turns.open(socket(), '2');
    await new Promise<void>((resolve) => later.take(resolve));
    expect(done).not.toContain('never');
  });
});
