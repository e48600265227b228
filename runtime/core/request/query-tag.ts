/**
 * Where a statement comes from, as a comment that tools for database statistics read. Nothing in it differs from one request to the
 * next, so that statements are prepared once: it has no identifier of the request.
 * @rule What does the comment of a statement say?
 */
import type { QueryTagFormat, SourceShape } from '../contract/shapes.ts';

/** How statements of a source are tagged; undefined: not at all. @param isOption the server tags those of every source */
export function tagFormatOf(
  { queryTags }: Pick<SourceShape, 'queryTags'>,
  isOption: boolean | undefined,
): QueryTagFormat | undefined {
  if (queryTags === 'off') return undefined;
  return queryTags ?? (isOption ? 'sqlcommenter' : undefined);
}

/**
 * The comment. Names are in alphabetical order. Values are encoded as in URLs in every format, which leaves neither a slash nor a line
 * break of them, so that none can end the comment or begin another one.
 */
export function queryTag(
  format: QueryTagFormat,
  tags: Readonly<Record<'field_name' | 'operation_name' | 'role', string | undefined>>,
): string {
  const quote = format === 'sqlcommenter' ? "'" : '';
  const pairs = Object.entries(tags).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${quote}${encoded(value)}${quote}`],
  );
  return `/* ${pairs.join(quote === '' ? ', ' : ',')} */`;
}

export type Tags = Parameters<typeof queryTag>[1];

/** The text of a statement with its comment. */
export function taggedText(text: string, tags: Tags, ...served: Parameters<typeof tagFormatOf>): string {
  const format = tagFormatOf(...served);
  if (!format) return text;
  const tag = queryTag(format, tags);
  return format === 'standard_prepended' ? `${tag} ${text}` : `${text} ${tag}`;
}

function encoded(value: string): string {
  return encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\uFFFD')).replaceAll("'", '%27');
}
