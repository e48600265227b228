// Generated from messages/ by `npm run generate:diagnostics`; do not edit.

import type { Message } from './diagnostic.ts';

type Hole = string | number;

function message(
  code: string,
  severity: Message['severity'],
  lines: readonly (string | undefined)[],
): Message {
  const [text = '', ...details] = lines.filter((line) => line !== undefined);
  return { code, severity, message: text, ...(details.length > 0 && { details }) };
}

/** Every message of the compiler, by code: a function of what the message names. */
export const diagnostics = {
  /** action %action% is not present in actions.graphql */
  actionNotInSdl: ({ action, nearest }: { action: Hole; nearest?: Hole | undefined }): Message =>
    message('action-not-in-sdl', 'error', [
      `action ${action} is not present in actions.graphql`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
  /** The %construct% %name% in actions.graphql has no meaning for actions and is left out. */
  actionSdlIgnored: ({ construct, name }: { construct: Hole; name: Hole }): Message =>
    message('action-sdl-ignored', 'warning', [
      `The ${construct} ${name} in actions.graphql has no meaning for actions and is left out.`,
    ]),
  /** actions.graphql is not a GraphQL document: %reason%. */
  actionsSdlInvalid: ({ reason }: { reason: Hole }): Message =>
    message('actions-sdl-invalid', 'error', [`actions.graphql is not a GraphQL document: ${reason}.`]),
  /** custom type %type% is not present in actions.graphql */
  customTypeNotInSdl: ({ type, nearest }: { type: Hole; nearest?: Hole | undefined }): Message =>
    message('custom-type-not-in-sdl', 'error', [
      `custom type ${type} is not present in actions.graphql`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
  /** multiple declarations exist for the following %kind%: %names% */
  duplicateDeclaration: ({ kind, names }: { kind: Hole; names: Hole }): Message =>
    message('duplicate-declaration', 'error', [
      `multiple declarations exist for the following ${kind}: ${names}`,
      'Only the first declaration of each is used.',
    ]),
  /** %file% includes itself through %chain%. */
  includeCycle: ({ file, chain }: { file: Hole; chain: Hole }): Message =>
    message('include-cycle', 'error', [`${file} includes itself through ${chain}.`]),
  /** The included file %file% does not exist. */
  includeMissing: ({ file }: { file: Hole }): Message =>
    message('include-missing', 'error', [
      `The included file ${file} does not exist.`,
      'Targets of !include are relative to the file that names them.',
    ]),
  /** Cannot read %file%: %reason%. */
  metadataFileUnreadable: ({ file, reason }: { file: Hole; reason: Hole }): Message =>
    message('metadata-file-unreadable', 'error', [`Cannot read ${file}: ${reason}.`]),
  /** This is not JSON: %reason%. */
  metadataJsonInvalid: ({ reason }: { reason: Hole }): Message =>
    message('metadata-json-invalid', 'error', [`This is not JSON: ${reason}.`]),
  /** %reason% */
  metadataValueInvalid: ({ reason }: { reason: Hole }): Message =>
    message('metadata-value-invalid', 'error', [`${reason}`]),
  /** Metadata of version %version% cannot be read here; version 3 can. */
  metadataVersionUnsupported: ({ version }: { version: Hole }): Message =>
    message('metadata-version-unsupported', 'error', [
      `Metadata of version ${version} cannot be read here; version 3 can.`,
    ]),
  /** This is not YAML: %reason%. */
  metadataYamlInvalid: ({ reason }: { reason: Hole }): Message =>
    message('metadata-yaml-invalid', 'error', [`This is not YAML: ${reason}.`]),
  /** Source "%source%" is of kind "%kind%"; only "postgres" can be served. */
  sourceKindUnsupported: ({ source, kind }: { source: Hole; kind: Hole }): Message =>
    message('source-kind-unsupported', 'error', [
      `Source "${source}" is of kind "${kind}"; only "postgres" can be served.`,
    ]),
  /** unexpected keys when parsing TableMetadata: [%keys%] */
  tableKeysUnexpected: ({ keys, nearest }: { keys: Hole; nearest?: Hole | undefined }): Message =>
    message('table-keys-unexpected', 'error', [
      `unexpected keys when parsing TableMetadata: [${keys}]`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
  /** The key "%key%" is not known here and has no effect. */
  unknownKey: ({ key, nearest }: { key: Hole; nearest?: Hole | undefined }): Message =>
    message('unknown-key', 'warning', [
      `The key "${key}" is not known here and has no effect.`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
} as const;
