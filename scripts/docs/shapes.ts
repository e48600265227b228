/** Words for the structure of codecs: the types of keys, and the keys of an object, for the reference pages. */
import { CANONICAL } from '../../runtime/core/vocabulary.ts';
import type { AnyCodec, Codec } from '../../runtime/metadata/codec.ts';
import { INVALID, Reading } from '../../runtime/metadata/codec.ts';

type Shape = Codec<unknown>['shape'];
export type ObjectShape = Extract<Shape, { readonly kind: 'object' }>;

export interface Row {
  /** Keys from the object of the section to this one: `retry_conf.num_retries`. */
  readonly key: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** As JSON; undefined if an absent key has no value of its own. */
  readonly fallback: string | undefined;
  readonly meaning: string | undefined;
  readonly isExtension: boolean;
}

/** Inputs by which codecs of several forms choose one. */
const SAMPLES: readonly unknown[] = [
  'text',
  '*',
  1,
  true,
  ['text'],
  {},
  { one: 1 },
  { name: 'n' },
  { function: 'f' },
  { remote_schema: 'r' },
  { url: 'u' },
  { foreign_key_constraint_on: 'c' },
  { table: 't' },
];

/** The forms of a value that may be written in several, each once. */
export function formsOf(shape: Shape): readonly AnyCodec[] {
  if (shape.kind !== 'choice') return [];
  const forms = new Map<string, AnyCodec>();
  for (const sample of SAMPLES) {
    const form = shape.pick(sample);
    if (typeof form !== 'string') forms.set(keysOf(form).join() || typeOf(form), form);
  }
  return [...forms.values()];
}

function keysOf(codec: AnyCodec): readonly string[] {
  return objectsOf(codec).flatMap(({ fields }) => Object.keys(fields));
}

/** The objects that a value may be, without those inside it. */
function objectsOf({ shape }: AnyCodec): readonly ObjectShape[] {
  switch (shape.kind) {
    case 'object':
      return [shape];
    case 'optional':
    case 'converted':
      return objectsOf(shape.inner);
    case 'choice':
      return formsOf(shape).flatMap(objectsOf);
    default:
      return [];
  }
}

/** The type of a value in words; objects with a section are links to it, on this page or on the one that is named. */
function typeOf({ shape }: AnyCodec, page = ''): string {
  switch (shape.kind) {
    case 'value':
      return shape.name;
    case 'enum':
      return shape.values.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
    case 'object':
      return shape.title === undefined ? 'object' : `[${shape.title}](${page}#${anchor(shape.title)})`;
    case 'list':
      return `${shape.nonEmpty ? 'non-empty list' : 'list'} of ${typeOf(shape.item, page)}`;
    case 'record':
      return `object, name → ${typeOf(shape.item, page)}`;
    case 'optional':
    case 'converted':
      return typeOf(shape.inner, page);
    case 'choice':
      return [...new Set(formsOf(shape).map((form) => typeOf(form, page)))].join(' or ');
  }
}

export function anchor(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-');
}

/** The keys of an object, those of inner objects without a section after them. */
export function rowsOf({ fields }: ObjectShape, before = ''): readonly Row[] {
  return Object.entries(fields).flatMap(([name, codec]) => [
    rowOf(before + name, codec, ''),
    ...rowsInside(codec, before + name),
  ]);
}

/** The keys of an object alone; objects with a section are links to another page. */
export function outerRowsOf({ fields }: ObjectShape, page: string): readonly Row[] {
  return Object.entries(fields).map(([name, codec]) => rowOf(name, codec, page));
}

function rowOf(key: string, codec: AnyCodec, page: string): Row {
  return {
    key,
    type: typeOf(codec, page),
    isRequired: isRequired(key, codec),
    fallback: fallbackOf(codec),
    meaning: meaningOf(codec),
    isExtension: codec.isExtension === true,
  };
}

function rowsInside(codec: AnyCodec, key: string): readonly Row[] {
  const { shape } = codec;
  switch (shape.kind) {
    case 'object':
      return shape.title === undefined ? rowsOf(shape, `${key}.`) : [];
    case 'list':
      return rowsInside(shape.item, `${key}[]`);
    case 'record':
      return rowsInside(shape.item, `${key}.*`);
    case 'optional':
    case 'converted':
      return rowsInside(shape.inner, key);
    case 'choice':
      return formsOf(shape).flatMap((form) => rowsInside(form, key));
    default:
      return [];
  }
}

/** The objects with sections that a value leads to, itself included, each once and in the order of the keys. */
export function sectionsOf(codec: AnyCodec, found: Map<string, ObjectShape> = new Map()) {
  const { shape } = codec;
  switch (shape.kind) {
    case 'object':
      if (shape.title !== undefined) {
        if (found.has(shape.title)) return found;
        found.set(shape.title, shape);
      }
      for (const field of Object.values(shape.fields)) sectionsOf(field, found);
      return found;
    case 'list':
    case 'record':
      return sectionsOf(shape.item, found);
    case 'optional':
    case 'converted':
      return sectionsOf(shape.inner, found);
    case 'choice':
      for (const form of formsOf(shape)) sectionsOf(form, found);
      return found;
    default:
      return found;
  }
}

function isRequired(key: string, codec: AnyCodec): boolean {
  const reading = new Reading(CANONICAL);
  return codec.absent === undefined || codec.absent(reading, key) === INVALID || reading.findings.length > 0;
}

function fallbackOf({ shape }: AnyCodec): string | undefined {
  if (shape.kind === 'converted') return fallbackOf(shape.inner);
  return shape.kind === 'optional' && shape.fallback !== undefined
    ? JSON.stringify(shape.fallback)
    : undefined;
}

function meaningOf({ meaning, shape }: AnyCodec): string | undefined {
  if (meaning !== undefined || (shape.kind !== 'optional' && shape.kind !== 'converted')) return meaning;
  return meaningOf(shape.inner);
}

/** Rows as a table of Markdown. */
export function tableOf(rows: readonly Row[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const lines = rows.map(({ key, type, isRequired: required, fallback, meaning = '', isExtension }) => {
    const state = required ? 'required' : fallback === undefined ? '' : `\`${fallback}\``;
    const words = isExtension ? `${meaning} *Extension.*` : meaning;
    return `| \`${cell(key)}\` | ${cell(type)} | ${cell(state)} | ${cell(words)} |`;
  });
  return ['| Key | Type | Default | Meaning |', '|---|---|---|---|', ...lines].join('\n');
}
