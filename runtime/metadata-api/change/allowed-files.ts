/** Files that hold addresses of databases may lie in one folder only. */

import { allowedFile } from '../../database/connection-url.ts';
import type { SourceConfiguration } from '../../metadata/metadata.ts';
import type { WorkingCopy } from './working-copy.ts';

/** @throws EngineError permission-error if an address is to be read from a file elsewhere */
export function requireAllowedFiles(configuration: SourceConfiguration, copy: WorkingCopy): void {
  const { vocabulary, dynamicSecretsAllowedPathPrefix: allowedFolder } = copy.services.options;
  const { connection_info, read_replicas = [] } = configuration;
  for (const { database_url } of [connection_info, ...read_replicas]) {
    if (database_url.kind === 'file') allowedFile(database_url.file, { allowedFolder, vocabulary });
  }
}
