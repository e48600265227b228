import { messages } from '../core/diagnostics/catalogue.ts';
import { at, type Diagnostic, type Message } from '../core/diagnostics/diagnostic.ts';
import { nearest } from '../core/diagnostics/nearest.ts';
import type { Result } from '../core/diagnostics/result.ts';
import { isObject } from '../core/json/json.ts';
import { CANONICAL, type Vocabulary } from '../core/vocabulary.ts';
import { type CodecFinding, INVALID, Reading } from './codec.ts';
import { object } from './combinators.ts';
import { functionEntries } from './kinds/function.ts';
import type { SourceConfiguration } from './kinds/source.ts';
import { tableEntries } from './kinds/table.ts';
import { lookalikes } from './lookalikes.ts';
import { EMPTY_SOURCE, emptyMetadata, type Metadata, metadataFields } from './metadata.ts';
import type { Origin } from './origin.ts';
import { describeType, json } from './values.ts';

/** The keys of metadata version 3, in the order of an export. */
export const metadataKeys: readonly string[] = ['version', ...Object.keys(metadataFields)];

const { sources: _, ...oldFields } = metadataFields;

/** Version 3. The version was looked at before. */
const document = object({ version: json, ...metadataFields });

/** Versions 1 and 2 have the tables and functions of their one source at the top. */
const oldDocument = object({
  version: { ...json, absent: () => 1 },
  tables: tableEntries,
  functions: functionEntries,
  ...oldFields,
});

/** Address of the source `default` where the metadata itself names none. */
function defaultSourceConfiguration(vocabulary: Vocabulary): SourceConfiguration {
  return {
    connection_info: {
      database_url: { kind: 'environment', variable: vocabulary.environment('DATABASE_URL') },
      isolation_level: 'read-committed',
    },
    extensions_schema: 'public',
  };
}

export interface ReadingOptions {
  readonly origin?: Origin | undefined;
  readonly vocabulary?: Vocabulary | undefined;
}

/**
 * Reads metadata given as JSON: version 3, and the older versions 1 and 2 as one source `default`. Never throws for bad
 * input; what is bad is reported and left out.
 * @param options.origin gives diagnostics their file positions
 * @param options.vocabulary the one that the metadata is written in; `engine` unless given
 */
export function readMetadata(
  input: unknown,
  { origin, vocabulary = CANONICAL }: ReadingOptions = {},
): Result<Metadata> {
  const reading = new Reading(vocabulary);
  const value = readDocument(input, reading);
  const found = [...reading.findings.map(toDiagnostic), ...lookalikes(value, vocabulary)];
  return { value, diagnostics: found.map((each) => located(each, origin)) };
}

function readDocument(input: unknown, reading: Reading): Metadata {
  if (!isObject(input)) {
    reading.problem(describeType('Object', input));
    return emptyMetadata;
  }
  const version = input.version ?? 1;
  if (version === 3) {
    const value = document.read(input, reading);
    return value === INVALID ? emptyMetadata : { ...value, version };
  }
  if (version !== 1 && version !== 2) {
    const unsupported = messages.metadataVersionUnsupported({ version: JSON.stringify(version) });
    reading.diagnostic(unsupported, ['version']);
    return emptyMetadata;
  }
  const value = oldDocument.read(input, reading);
  if (value === INVALID) return emptyMetadata;
  const { tables, functions, ...rest } = value;
  const source = { name: 'default', kind: 'postgres', path: [] } as const;
  return {
    ...rest,
    version: 3,
    sources: [
      {
        ...source,
        ...EMPTY_SOURCE,
        tables,
        functions,
        configuration: defaultSourceConfiguration(reading.vocabulary),
      },
    ],
  };
}

/** A finding at its place; the place of an unknown key is the key. */
export function toDiagnostic(finding: CodecFinding): Diagnostic {
  const path = finding.kind === 'unknown_key' ? [...finding.path, finding.key] : finding.path;
  return at(path, toMessage(finding));
}

function located(diagnostic: Diagnostic, origin: Origin | undefined): Diagnostic {
  const location = origin?.locate(diagnostic.path);
  return location ? { ...diagnostic, location } : diagnostic;
}

function toMessage(finding: CodecFinding): Message {
  switch (finding.kind) {
    case 'problem':
      return messages.metadataValueInvalid({ reason: finding.message });
    case 'unknown_key':
      return messages.unknownKey({ key: finding.key, nearest: nearest(finding.key, finding.known) });
    case 'diagnostic':
      return finding.message;
  }
}
