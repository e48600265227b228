/**
 * Settings that decide which data is served and where it goes, and that no served file holds: which database is behind a source,
 * with which account and options, how its connections are encrypted, where traces are sent. Addresses are hashes, without passwords.
 */
import { hashOfText } from '../../../runtime/catalog/objects.ts';
import { isObject } from '../../../runtime/core/json/json.ts';
import type { ConnectionInfo, Metadata } from '../../../runtime/metadata/metadata.ts';
import type { SettingFact } from '../../model/plan.ts';

/** In the order of the metadata. */
export function settingFacts({ sources, opentelemetry }: Metadata): SettingFact[] {
  const facts: SettingFact[] = sources.flatMap(({ name, configuration }) => [
    ...connectionFacts({ source: name }, configuration.connection_info),
    ...(configuration.read_replicas ?? []).flatMap((replica, index) =>
      connectionFacts({ source: name, replica: index + 1 }, replica),
    ),
  ]);
  for (const [key, value] of Object.entries(opentelemetry ?? {}))
    for (const [inner, part] of isObject(value) ? Object.entries(value) : [['', value]])
      facts.push({
        telemetry: [key, inner].filter(Boolean).join(' '),
        value: hashOfText(JSON.stringify(part ?? null)),
      });
  return facts;
}

function connectionFacts(
  of: { readonly source: string; readonly replica?: number },
  { database_url: url, ssl_configuration: ssl, isolation_level: isolation }: ConnectionInfo,
): SettingFact[] {
  // A connection string may say it, too.
  const [, mode] = (url.kind === 'template' && /[?&]sslmode=([^&]*)/.exec(url.template)) || [];
  const tls = ssl?.sslmode ?? mode;
  return [
    { ...of, what: 'database', value: databaseOf(url) },
    ...(tls === undefined ? [] : [{ ...of, what: 'TLS' as const, value: tls }]),
    // Of what is written at the same time, a check sees more or less.
    ...(isolation === 'read-committed' || of.replica !== undefined
      ? []
      : [{ ...of, what: 'isolation' as const, value: isolation }]),
    ...(ssl
      ? [
          {
            ...of,
            what: 'certificates' as const,
            value: hashOfText(JSON.stringify([ssl.sslrootcert, ssl.sslcert, ssl.sslkey])),
          },
        ]
      : []),
  ];
}

function databaseOf(url: ConnectionInfo['database_url']): string {
  switch (url.kind) {
    case 'environment':
      return `of the variable ${url.variable}`;
    case 'file':
      return `of the file ${url.file}`;
    case 'parameters': {
      const { password: _, ...address } = url.parameters;
      return hashOfText(JSON.stringify(address));
    }
    case 'template': {
      const [, scheme, account, rest] = ADDRESS.exec(url.template)!;
      const [place, parameters = ''] = rest!.split(/\?(.*)/s);
      const kept = parameters.split('&').filter((each) => each !== '' && !NEUTRAL_PARAMETERS.test(each));
      return hashOfText(JSON.stringify([scheme, account, place, kept.sort()]));
    }
  }
}

/** Scheme, account (then a password up to the "@" of the host) and what follows. */
const ADDRESS = /^([^:]+:\/\/)?(?:([^:@/?]*)(?::.*?)?@(?=[^@?]*(?:\?|$)))?(.*)$/s;

/** Secrets, the mode of TLS, which is a fact of its own, and what decides neither which data is served nor to whom. */
const NEUTRAL_PARAMETERS =
  /^(?:password|sslmode|sslpassword|connect_timeout|application_name|fallback_application_name|keepalives\w*|tcp_user_timeout)=/;
