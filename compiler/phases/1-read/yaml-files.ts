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
  type Scalar,
  type ScalarTag,
} from 'yaml';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at, type Diagnostic, type Location } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { MAX_JSON_DEPTH } from '../../../runtime/core/json/json-value.ts';
import { fileProblem } from '../../../runtime/core/reasons.ts';
import type { MetadataPath } from '../../../runtime/metadata/metadata.ts';
import type { PositionNode } from '../../../runtime/metadata/origin.ts';
import { exactNumber } from './yaml-numbers.ts';

export interface Loaded {
  readonly value: unknown;
  readonly positions: PositionNode;
}

/** A value with what aliases of it add to the document. */
interface Part extends Loaded {
  /** Number of values in it, itself included. */
  readonly size: number;
  /** Levels of lists and maps in it. */
  readonly height: number;
}

/** Maximum number of values that aliases add to the documents of a directory: a few lines may mean billions. */
const MAX_ALIASED = 1_000_000;

export interface YamlFiles {
  /** Reads a file and its includes. `path` is the position of its value in the metadata. Undefined if the file is empty. */
  readonly load: (file: string, path: MetadataPath) => Loaded | undefined;
  /** Every file that was opened or tried, as an absolute path. */
  readonly visited: ReadonlySet<string>;
}

/** Syntax trees by file: most of the time that a folder takes. They count as long as the text is the same. */
export type ParsedFiles = Map<string, Parsed>;

interface Parsed {
  readonly text: string;
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

function parse(text: string): Parsed {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    customTags: [includeTag],
    prettyErrors: false,
    lineCounter: lines,
  });
  return { text, document, lines };
}

/**
 * A loader that adds what is wrong to `diagnostics`.
 * @param parsed of an earlier loader, for files that are as they were
 */
export function createYamlFiles(diagnostics: Diagnostic[], parsed: ParsedFiles = new Map()): YamlFiles {
  const visited = new Set<string>();
  let aliased = 0;

  function report(path: MetadataPath, message: Parameters<typeof at>[1], location: Location): void {
    diagnostics.push({ ...at(path, message), location });
  }

  function load(file: string, path: MetadataPath, including: readonly string[]): Part | undefined {
    visited.add(resolve(file));
    const text = readTextFile(file);
    if (typeof text !== 'string') {
      if (text.code === 'ENOENT') return undefined;
      const reason = fileProblem(text);
      report(path, messages.metadataFileUnreadable({ file, reason }), { file, line: 1, column: 1 });
      return nothing({ file, line: 1, column: 1 });
    }
    const known = parsed.get(file);
    const { document, lines } = known?.text === text ? known : parse(text);
    parsed.set(file, { text, document, lines });
    const locate = (offset: number): Location => {
      const { line, col } = lines.linePos(offset);
      return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
    };
    const start = locate(0);
    // The first error only: what follows it is mostly its consequence.
    const error = document.errors[0];
    if (error) {
      const reason = error.code === 'RESOURCE_EXHAUSTION' ? TOO_DEEP : error.message.replace(/\.$/, '');
      report(path, messages.metadataYamlInvalid({ reason }), locate(error.pos[0]));
      return nothing(start);
    }
    return convert(document.contents, path, start, {
      document,
      file,
      locate,
      including: [...including, file],
      anchored: new Map(),
      open: new Set(),
    });
  }

  interface Context {
    readonly document: Document.Parsed;
    readonly file: string;
    readonly locate: (offset: number) => Location;
    readonly including: readonly string[];
    /** Values of anchors, shared by their aliases: a few lines must not grow into gigabytes. */
    readonly anchored: Map<Node, Part>;
    /** Nodes with an anchor that are being converted. */
    readonly open: Set<Node>;
  }

  function convert(node: Node | null, path: MetadataPath, location: Location, context: Context): Part {
    if (node === null) return scalar(null, location);
    if (isAlias(node)) {
      const target = node.resolve(context.document);
      if (target === undefined) return scalar(null, location);
      if (context.open.has(target)) {
        const reason = `the alias *${node.source} stands for a value that contains the alias`;
        report(path, messages.metadataYamlInvalid({ reason }), location);
        return nothing(location);
      }
      const known = context.anchored.get(target) ?? convert(target, path, location, context);
      const isFirst = aliased <= MAX_ALIASED;
      aliased += known.size;
      const isTooMuch = aliased > MAX_ALIASED;
      if (!isTooMuch && path.length + known.height <= MAX_JSON_DEPTH) return known;
      const reason = isTooMuch ? `its aliases stand for more than ${MAX_ALIASED} values` : TOO_DEEP;
      // Once: the aliases behind it are too much as well.
      if (!isTooMuch || isFirst) report(path, messages.metadataYamlInvalid({ reason }), location);
      return nothing(location);
    }
    if (path.length > MAX_JSON_DEPTH) {
      report(path, messages.metadataYamlInvalid({ reason: TOO_DEEP }), location);
      return nothing(location);
    }
    if (!node.anchor) return convertPlain(node, path, location, context);
    context.open.add(node);
    const loaded = convertPlain(node, path, location, context);
    context.open.delete(node);
    context.anchored.set(node, loaded);
    return loaded;
  }

  function convertPlain(node: Node, path: MetadataPath, location: Location, context: Context): Part {
    const children = new Map<string | number, PositionNode>();
    if (isMap<Node, Node | null>(node)) {
      const entries: [string, unknown][] = [];
      const parts: Part[] = [];
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.source ?? key.value) : String(key);
        const child = convert(value, [...path, name], context.locate(key.range?.[0] ?? 0), context);
        entries.push([name, child.value]);
        parts.push(child);
        children.set(name, child.positions);
      }
      return collection(Object.fromEntries(entries), location, children, parts);
    }
    if (isSeq<Node | null>(node)) {
      const parts = node.items.map((item, index) => {
        const place = item?.range ? context.locate(item.range[0]) : location;
        const child = convert(item, [...path, index], place, context);
        children.set(index, child.positions);
        return child;
      });
      const value = parts.map((part) => part.value);
      return collection(value, location, children, parts);
    }
    const value = isScalar(node) ? node.value : null;
    const target = includeTarget(node, value);
    if (target !== undefined) return include(target, path, location, context);
    if (typeof value !== 'number') return scalar(value, location);
    const number = exactNumber(value, (node as Scalar).source ?? '');
    if (number !== undefined) return scalar(number, location);
    report(path, messages.metadataYamlInvalid({ reason: `${value} is not a JSON number` }), location);
    return nothing(location);
  }

  function include(target: string, path: MetadataPath, location: Location, context: Context): Part {
    const file = join(dirname(context.file), target);
    const missing = nothing(location);
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
    const text = readTextFile(file);
    if (typeof text === 'string') return scalar(text, { file, line: 1, column: 1 });
    const reason = fileProblem(text);
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

const TOO_DEEP = `it is nested more than ${MAX_JSON_DEPTH} levels deep`;

function scalar(value: unknown, location: Location): Part {
  return { value, positions: { location }, size: 1, height: 0 };
}

/** What could not be read. */
function nothing(location: Location): Part {
  return scalar(undefined, location);
}

function collection(
  value: unknown,
  location: Location,
  children: ReadonlyMap<string | number, PositionNode>,
  parts: readonly Part[],
): Part {
  let size = 1;
  let height = 0;
  for (const part of parts) {
    size += part.size;
    height = Math.max(height, part.height);
  }
  return { value, positions: { location, children }, size, height: height + 1 };
}

const includeTag: ScalarTag = { tag: '!include', resolve: (text) => text };

/** The file that a scalar includes: `!include file` as a tag or as a quoted text. */
function includeTarget(node: Node, value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (node.tag === '!include') return value.trim();
  return /^!include\s+(\S.*?)\s*$/.exec(value)?.[1];
}

/** The text of a file, or the error that reading it gave. */
export function readTextFile(file: string): string | NodeJS.ErrnoException {
  try {
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}
