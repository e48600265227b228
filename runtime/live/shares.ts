/**
 * Shares of a resource: which owner of waiting work is served next. Owners form a tree (a role, a session of it, a socket of that), and
 * at each level the one that was served least so far comes first. An owner that did not wait for some time begins where those are that
 * are served now: it comes next, but is owed nothing for the time when it wanted nothing.
 * @rule Who is served next by the reads of live queries, and by messages of sockets?
 */

/** Work that is known to take little, and other work. */
export type Kind = 'quick' | 'slow';

export class Owner<Work> {
  readonly parent: Owner<Work> | undefined;
  readonly key: string;
  /** undefined: a leaf. */
  children: Map<string, Owner<Work>> | undefined = undefined;
  /** What it wants of each kind; undefined: nothing, so that the many owners that are idle take little memory. */
  quick: Demand<Work> | undefined = undefined;
  slow: Demand<Work> | undefined = undefined;
  /** Cost of all that it was served, as far as it counts against its siblings. */
  used = 0;
  /** What the child had used that was served last. */
  floor = 0;
  /** How often it was entered and not left. */
  members = 0;
  /** Kind of the work that a leaf was served last. */
  last: Kind = 'slow';

  constructor(parent: Owner<Work> | undefined, key: string) {
    this.parent = parent;
    this.key = key;
  }

  /** Also lets go of a demand that is met. */
  hasWork(kind: Kind): boolean {
    const demand = this[kind];
    if (!demand) return false;
    if (demand.work.size > 0 || demand.waiting.first() !== undefined) return true;
    this[kind] = undefined;
    return false;
  }

  demand(kind: Kind): Demand<Work> {
    this[kind] ??= { work: new Set(), waiting: new Queue(kind) };
    return this[kind];
  }
}

interface Demand<Work> {
  /** Of a leaf: its work, in the order of its turns. */
  readonly work: Set<Work>;
  /** Children with work. */
  readonly waiting: Queue<Work>;
}

export class Shares<Work> {
  readonly #root = new Owner<Work>(undefined, '');

  /** The owner at the end of a path, until it is left as often as it was entered. */
  enter(path: readonly string[]): Owner<Work> {
    let owner = this.#root;
    for (const key of path) {
      owner.children ??= new Map();
      let child = owner.children.get(key);
      if (!child) {
        child = new Owner(owner, key);
        owner.children.set(key, child);
      }
      owner = child;
      owner.members += 1;
    }
    return owner;
  }

  leave(leaf: Owner<Work>): void {
    for (let owner = leaf; owner.parent; owner = owner.parent) {
      owner.members -= 1;
      // What a role has used is remembered: its clients could come back to be served first.
      if (owner.members === 0 && owner.parent !== this.#root) owner.parent.children!.delete(owner.key);
    }
  }

  /** A leaf has work of a kind. */
  add(leaf: Owner<Work>, kind: Kind, work: Work): void {
    leaf.demand(kind).work.add(work);
    for (let owner = leaf; owner.parent; owner = owner.parent) {
      owner.used = Math.max(owner.used, owner.parent.floor);
      if (!owner.parent.demand(kind).waiting.add(owner)) return;
    }
  }

  /** Takes the next work of these kinds from the owner that was served least. */
  take(kinds: readonly Kind[]): { readonly work: Work; readonly kind: Kind } | undefined {
    let owner = this.#root;
    for (;;) {
      let next: Owner<Work> | undefined;
      for (const kind of kinds) {
        const first = owner[kind]?.waiting.first();
        if (first && (!next || first.used < next.used)) next = first;
      }
      if (!next) break;
      owner.floor = Math.max(owner.floor, next.used);
      owner = next;
    }
    const available = kinds.filter((each) => owner[each] && owner[each].work.size > 0);
    const kind = available.find((each) => each !== owner.last) ?? available[0];
    if (kind === undefined) return undefined;
    owner.last = kind;
    const { work: all } = owner[kind]!;
    const work = all.values().next().value as Work;
    all.delete(work);
    return { work, kind };
  }

  charge(leaf: Owner<Work>, cost: number): void {
    for (let owner = leaf; owner.parent; owner = owner.parent) owner.used += cost;
  }

  /** The one of two leaves that is served first. */
  first(left: Owner<Work>, right: Owner<Work>): Owner<Work> {
    const [lefts, rights] = [pathOf(left), pathOf(right)];
    for (const [level, owner] of lefts.entries()) {
      const other = rights[level]!;
      if (owner === other) continue;
      return usedBy(owner) <= usedBy(other) ? left : right;
    }
    return left;
  }
}

function pathOf<Work>(leaf: Owner<Work>): readonly Owner<Work>[] {
  const path: Owner<Work>[] = [];
  for (let owner = leaf; owner.parent; owner = owner.parent) path.unshift(owner);
  return path;
}

/** What the owner has used as soon as it waits. */
function usedBy<Work>({ used, parent }: Owner<Work>): number {
  return Math.max(used, parent!.floor);
}

/** Owners in the order of what they have used, a binary heap. What an owner has used grows, so an entry may be too far in front. */
class Queue<Work> {
  readonly #kind: Kind;
  readonly #entries: { readonly owner: Owner<Work>; used: number }[] = [];
  readonly #members = new Set<Owner<Work>>();

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  /** @returns false: it is there already */
  add(owner: Owner<Work>): boolean {
    if (this.#members.has(owner)) return false;
    this.#members.add(owner);
    const entries = this.#entries;
    const entry = { owner, used: owner.used };
    let index = entries.length;
    while (index > 0) {
      const above = (index - 1) >> 1;
      if (entries[above]!.used <= entry.used) break;
      entries[index] = entries[above]!;
      index = above;
    }
    entries[index] = entry;
    return true;
  }

  /** The owner that has used least, of those that have work. */
  first(): Owner<Work> | undefined {
    const entries = this.#entries;
    while (entries.length > 0) {
      const { owner, used } = entries[0]!;
      if (!owner.hasWork(this.#kind)) {
        this.#members.delete(owner);
        const last = entries.pop()!;
        if (entries.length > 0) this.#sink(last);
      } else if (used < owner.used) this.#sink({ owner, used: owner.used });
      else return owner;
    }
    return undefined;
  }

  /** Puts an entry in the place of the first one, and then where it belongs. */
  #sink(entry: { readonly owner: Owner<Work>; used: number }): void {
    const entries = this.#entries;
    let index = 0;
    for (;;) {
      let below = 2 * index + 1;
      if (below + 1 < entries.length && entries[below + 1]!.used < entries[below]!.used) below += 1;
      if (below >= entries.length || entries[below]!.used >= entry.used) break;
      entries[index] = entries[below]!;
      index = below;
    }
    entries[index] = entry;
  }
}
