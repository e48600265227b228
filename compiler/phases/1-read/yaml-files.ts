/**
 * Reads YAML files that include each other, by the core rules of YAML 1.2 (`yes` and `no` are texts), keeping the place
 * of every value. What cannot be read is reported and comes out as undefined.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type ScalarTag,
} from 'yaml';
import { diagnostics as messages } from '../../../runtime/diagnostics/catalogue.ts';
import { at, type Diagnostic, type Location } from '../../../runtime/diagnostics/diagnostic.ts';
import type { MetadataPath } from '../../../runtime/metadata/metadata.ts';
import type { PositionNode } from '../../../runtime/metadata/origin.ts';

export interface Loaded {
  readonly value: unknown;
  readonly positions: PositionNode;
}

export interface YamlFiles {
  /** Reads a file and its includes. `path` is the position of its value in the metadata. Undefined if the file is empty. */
  readonly load: (file: string, path: MetadataPath) => Loaded | undefined;
  /** Every file that was opened or tried, as an absolute path. */
  readonly visited: ReadonlySet<string>;
}

/** A loader that adds what is wrong to `diagnostics`. */
export function createYamlFiles(diagnostics: Diagnostic[]): YamlFiles {
  const visited = new Set<string>();

  function report(path: MetadataPath, message: Parameters<typeof at>[1], location: Location): void {
    diagnostics.push({ ...at(path, message), location });
  }

  function load(file: string, path: MetadataPath, including: readonly string[]): Loaded | undefined {
    visited.add(resolve(file));
    const text = readText(file);
    if (typeof text !== 'string') {
      if (text.code === 'ENOENT') return undefined;
      const reason = text.code ?? text.message;
      report(path, messages.metadataFileUnreadable({ file, reason }), { file, line: 1, column: 1 });
      return { value: undefined, positions: { location: { file, line: 1, column: 1 } } };
    }
    const lines = new LineCounter();
    const document = parseDocument(text, {
      version: '1.2',
      schema: 'core',
      customTags: [includeTag],
      prettyErrors: false,
      lineCounter: lines,
    });
    const locate = (offset: number): Location => {
      const { line, col } = lines.linePos(offset);
      return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
    };
    const start = locate(0);
    // The first error only: what follows it is mostly its consequence.
    const error = document.errors[0];
    if (error) {
      const reason = error.message.replace(/\.$/, '');
      report(path, messages.metadataYamlInvalid({ reason }), locate(error.pos[0]));
      return { value: undefined, positions: { location: start } };
    }
    return convert(document.contents, path, start, {
      document,
      file,
      locate,
      including: [...including, file],
      anchored: new Map(),
    });
  }

  interface Context {
    readonly document: Document.Parsed;
    readonly file: string;
    readonly locate: (offset: number) => Location;
    readonly including: readonly string[];
    /** Values of anchors, shared by their aliases: a few lines must not grow into gigabytes. */
    readonly anchored: Map<Node, Loaded>;
  }

  function convert(node: Node | null, path: MetadataPath, location: Location, context: Context): Loaded {
    if (node === null) return { value: null, positions: { location } };
    if (isAlias(node)) {
      const target = node.resolve(context.document);
      return target === undefined
        ? { value: null, positions: { location } }
        : (context.anchored.get(target) ?? convert(target, path, location, context));
    }
    const loaded = convertPlain(node, path, location, context);
    if (node.anchor) context.anchored.set(node, loaded);
    return loaded;
  }

  function convertPlain(node: Node, path: MetadataPath, location: Location, context: Context): Loaded {
    const children = new Map<string | number, PositionNode>();
    if (isMap<Node, Node | null>(node)) {
      const entries: [string, unknown][] = [];
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.source ?? key.value) : String(key);
        const child = convert(value, [...path, name], context.locate(key.range?.[0] ?? 0), context);
        entries.push([name, child.value]);
        children.set(name, child.positions);
      }
      return { value: Object.fromEntries(entries), positions: { location, children } };
    }
    if (isSeq<Node | null>(node)) {
      const value = node.items.map((item, index) => {
        const place = item?.range ? context.locate(item.range[0]) : location;
        const child = convert(item, [...path, index], place, context);
        children.set(index, child.positions);
        return child.value;
      });
      return { value, positions: { location, children } };
    }
    const value = isScalar(node) ? node.value : null;
    const target = includeTarget(node, value);
    if (target !== undefined) return include(target, path, location, context);
    if (typeof value === 'number' && !Number.isFinite(value)) {
      report(path, messages.metadataYamlInvalid({ reason: `${value} is not a JSON number` }), location);
      return { value: undefined, positions: { location } };
    }
    return { value, positions: { location } };
  }

  function include(target: string, path: MetadataPath, location: Location, context: Context): Loaded {
    const file = join(dirname(context.file), target);
    const missing: Loaded = { value: undefined, positions: { location } };
    const cycle = context.including.findIndex((outer) => resolve(outer) === resolve(file));
    if (cycle >= 0) {
      const chain = [...context.including.slice(cycle), file].join(' → ');
      report(path, messages.includeCycle({ file, chain }), location);
      return missing;
    }
    if (target.endsWith('.yaml')) {
      const loaded = load(file, path, context.including);
      if (loaded === undefined) report(path, messages.includeMissing({ file }), location);
      return loaded ?? missing;
    }
    visited.add(resolve(file));
    const text = readText(file);
    if (typeof text === 'string')
      return { value: text, positions: { location: { file, line: 1, column: 1 } } };
    const reason = text.code ?? text.message;
    report(
      path,
      text.code === 'ENOENT'
        ? messages.includeMissing({ file })
        : messages.metadataFileUnreadable({ file, reason }),
      location,
    );
    return missing;
  }

  return { load: (file, path) => load(file, path, []), visited };
}

const includeTag: ScalarTag = { tag: '!include', resolve: (text) => text };

/** The file that a scalar includes: `!include file` as a tag or as a quoted text. */
function includeTarget(node: Node, value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (node.tag === '!include') return value.trim();
  return /^!include\s+(\S.*?)\s*$/.exec(value)?.[1];
}

/** The text of a file, or the error that reading it gave. */
export function readText(file: string): string | NodeJS.ErrnoException {
  try {
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}
