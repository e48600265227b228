/** Our server, as `engine serve --generated` starts it, with the defaults of every option. */
import { readConfiguration } from '../../../runtime/configuration/configuration.ts';
import { startServer } from '../../../runtime/main.ts';
import { serveMeasured } from './measured.ts';

export interface EngineOptions {
  /** The compiled folder. */
  readonly directory: string;
  readonly databaseUrl: string;
  /** As the option; absent: its default. */
  readonly enabledLogTypes?: string;
  readonly enabledApis?: string;
  /** For asynchronous actions. */
  readonly metadataDatabaseUrl?: string;
  readonly enableRemoteSchemaPermissions?: string;
  /** Addresses of further sources, by name. */
  readonly sources?: Readonly<Record<string, string>>;
}

serveMeasured(({ directory, databaseUrl, sources, ...given }: EngineOptions) =>
  startServer({
    configuration: readConfiguration({ serverPort: '0', serverHost: '127.0.0.1', ...given }, {}),
    environment: {},
    generated: { directory, sources: { default: databaseUrl, ...sources } },
  }),
);
