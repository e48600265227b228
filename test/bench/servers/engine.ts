/** Our server, as `engine serve --generated` starts it, with the defaults of every option. */

import { readConfiguration } from '../../../runtime/configuration/configuration.ts';
import { hostFolder } from '../../../runtime/program/host-folder.ts';
import { startServer } from '../../../runtime/server/main.ts';
import { serveMeasured } from './measured.ts';

export interface EngineOptions {
  /** The compiled folder. */
  readonly directory: string;
  readonly databaseUrl: string;
  /** As the option; absent: its default. */
  readonly enabledLogTypes?: string;
  readonly enabledApis?: string;
  readonly responseCache?: string;
  /** For asynchronous actions. */
  readonly metadataDatabaseUrl?: string;
  readonly enableRemoteSchemaPermissions?: string;
  /** Addresses of further sources, by name. */
  readonly sources?: Readonly<Record<string, string>>;
  /** Where spans are sent, the part of the requests that are traced, and the folder that has OpenTelemetry's packages. */
  readonly tracing?: { readonly endpoint: string; readonly ratio: number; readonly packages: string };
}

serveMeasured(({ directory, databaseUrl, sources, tracing, ...given }: EngineOptions) => {
  const generated = { directory, sources: { default: databaseUrl, ...sources } };
  const ratio = tracing && { tracingSampleRatio: String(tracing.ratio) };
  // The packages are looked for in the working directory.
  if (tracing) process.chdir(tracing.packages);
  return startServer({
    configuration: readConfiguration({ serverPort: '0', serverHost: '127.0.0.1', ...ratio, ...given }, {}),
    environment: {},
    ...(tracing
      ? {
          // A compiled folder has no metadata that could say so.
          openHost: (context) => {
            context.telemetry({
              status: 'enabled',
              data_types: ['traces'],
              exporter_otlp: { otlp_traces_endpoint: tracing.endpoint },
            });
            return hostFolder(generated, context);
          },
        }
      : { generated }),
  });
});
