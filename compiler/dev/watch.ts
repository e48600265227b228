/** Tells when files below some paths have changed, whichever way an editor writes them. */
import { type FSWatcher, readdirSync, type Stats, statSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';

/** Milliseconds without an event before files count as written. Editors write one in several steps, tools many. */
const QUIET = 30;
/** Milliseconds between looks at a folder that cannot be watched. */
const LOOKING = 500;

/**
 * Watches files and folders, which need not exist. Events only say when to look: what counts is that a file's size, time or
 * number is another one.
 * @param paths by name
 * @param changed gets the names of what changed
 * @returns what ends it
 */
export function watchPaths<Name extends string>(
  paths: Readonly<Record<Name, readonly string[]>>,
  changed: (names: readonly Name[]) => void,
): () => void {
  const names = Object.keys(paths) as Name[];
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  let looking: NodeJS.Timeout | undefined;
  let before = look();

  function look(): Map<Name, string> {
    const folders = new Set<string>();
    const seen = new Map(
      names.map((name) => [name, paths[name].map((path) => stateOf(path, folders)).join('\n')]),
    );
    for (const [folder, watcher] of watchers)
      if (!folders.has(folder)) {
        watcher.close();
        watchers.delete(folder);
      }
    for (const folder of folders) if (!watchers.has(folder)) watchFolder(folder);
    return seen;
  }

  function watchFolder(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, later);
      watchers.set(folder, watcher);
      watcher.on('error', () => {
        watcher.close();
        watchers.delete(folder);
        later();
      });
    } catch {
      // It is gone again, or there are too many watches.
      looking ??= setInterval(compare, LOOKING).unref();
    }
  }

  function later(): void {
    clearTimeout(timer);
    timer = setTimeout(compare, QUIET);
  }

  function compare(): void {
    const now = look();
    const different = names.filter((name) => now.get(name) !== before.get(name));
    before = now;
    if (different.length > 0) changed(different);
  }

  return () => {
    clearTimeout(timer);
    clearInterval(looking);
    for (const watcher of watchers.values()) watcher.close();
  };
}

/**
 * What can be told of a file, or of all below a folder.
 * @param folders receives those in which a change can be seen
 * @param visited folders on the way here: links may lead back
 */
function stateOf(path: string, folders: Set<string>, visited: ReadonlySet<string> = new Set()): string {
  const stat = entryOf(path);
  // A file may come, and may be replaced by another one.
  if (visited.size === 0 && entryOf(dirname(path))) folders.add(dirname(path));
  if (!stat) return `${path} -`;
  if (!stat.isDirectory()) return `${path} ${stat.ino} ${stat.size} ${stat.mtimeMs}`;
  const identity = `${stat.dev}:${stat.ino}`;
  if (visited.has(identity)) return `${path} again`;
  folders.add(path);
  return names(path)
    .map((name) => stateOf(join(path, name), folders, new Set([...visited, identity])))
    .join('\n');
}

function entryOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Without what editors keep beside files, and what is of no tool of ours. */
function names(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !/^\.|^(node_modules|4913)$|[~#]$|\.sw[a-z]$/.test(name));
  } catch {
    return [];
  }
}
