/**
 * Compares two versions of generated code role by role: the columns, rows and operations that a change grants or takes. Row rules are compared as
 * conditions; what cannot be shown either way is undecidable, and never called narrower.
 */
import { type Configuration, optionName } from '../../../runtime/configuration/configuration.ts';
import { counted } from '../findings/text.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import { belowFindings } from './diff-below.ts';
import { bodyFindings, databaseFindings } from './diff-database.ts';
import { endpointFindings } from './diff-endpoints.ts';
import { meaningFindings } from './diff-meaning.ts';
import { pathFindings } from './diff-paths.ts';
import { permissionFindings } from './diff-permission.ts';
import { serviceFindings } from './diff-services.ts';
import { settingFindings } from './diff-settings.ts';
import {
  editFindings,
  entranceFindings,
  foreignFindings,
  functionFindings,
  savedFindings,
  shapeFindings,
} from './diff-surroundings.ts';
import { unreadFindings } from './diff-unread.ts';
import { withDifferingRoles } from './differing-roles.ts';
import { type Finding, VERDICTS } from './finding.ts';
import { auditMatrix } from './matrix.ts';
import { nestedInsertFindings } from './nested-inserts.ts';
import { withLaterNames } from './renamed.ts';

export interface AuditDiff {
  readonly base: string;
  readonly head: string;
  readonly findings: readonly Finding[];
  /** Parts of the metadata that generated code does not hold and that were therefore not compared. */
  readonly notCompared: string;
}

/**
 * Everything that became wider, narrower or undecidable, by verdict, role and table.
 * @param step called before what may take long, in a project of many roles
 */
export function diffCode(
  earlier: GeneratedCode,
  head: GeneratedCode,
  step: (text: string) => void = () => {},
): AuditDiff {
  const { base, findings: renames } = withLaterNames(earlier, head);
  step('comparing permissions');
  const [old, next] = withDifferingRoles(base, head);
  const [before, after] = [auditMatrix(old), auditMatrix(next)];
  const permissions = permissionFindings(old, next, before, after);
  step('comparing the ways to rows and values');
  const findings = [
    ...renames,
    ...permissions,
    ...entranceFindings(old, next),
    ...functionFindings(before, after),
    ...bodyFindings(old, next, after),
    ...belowFindings(old, next, before, after),
    ...unreadFindings(old, next, after),
    ...databaseFindings(old, next),
    ...pathFindings(old, next),
    ...nestedInsertFindings(old, next),
    ...endpointFindings(base, head),
    ...meaningFindings(old, next),
    ...savedFindings(old, next, before, after),
    ...shapeFindings(old, next),
    ...serviceFindings(base, head),
    ...settingFindings(base, head),
    ...foreignFindings(base, head),
    ...editFindings(base, head),
  ];
  const order = ({ verdict, role = '', table = '', operation = '' }: Finding) =>
    `${VERDICTS.indexOf(verdict)} ${role}\0${table}\0${operation}`;
  return {
    base: base.label,
    head: head.label,
    notCompared: notCompared(head),
    findings: findings.sort((left, right) => (order(left) < order(right) ? -1 : 1)),
  };
}

/** All that decides what a role reads or writes, and that generated code does not say. */
function notCompared({ program, databases }: GeneratedCode): string {
  const silent = program.sources.filter(({ name }) => !databases.has(name));
  const functions = new Set(
    [...databases.values()].flatMap(({ source, objects }) =>
      Object.keys(objects).flatMap((key) => (key.endsWith('()') ? [`${source} ${key}`] : [])),
    ),
  ).size;
  return [
    `Of what lies below permissions it is compared whether it is another, not what that means. What ${counted(functions, 'function')} use is read from the names in their texts: a name that a function puts together at run time is not found.`,
    ...(silent.length > 0
      ? [
          `Of ${counted(silent.length, 'source')} the code does not say what the database does by itself; compared are hashes of queries, functions and triggers: ${silent.map(({ name }) => name).join(', ')}.`,
        ]
      : []),
    'Not compared: rows (those of tables that decide, too; a table that was dropped and made anew has others), privileges of other accounts than the one that read the catalog (owners of views and of security definer functions), settings of the server of the database, code of functions in C and of extensions, what indexes of built-in functions and maximum sizes refuse, what a foreign server answers, what handlers, webhooks and remote schemas do, environment variables.',
    `Options of the server are not in generated code; compare how it is started: ${SERVER_OPTIONS.map((key) => `--${optionName(key)}`).join(', ')}.`,
  ].join(' ');
}

/** Options that decide who may do what, or where data goes. */
const SERVER_OPTIONS: readonly (keyof Configuration)[] = [
  'adminSecret',
  'adminSecrets',
  'accessKey',
  'authHook',
  'jwtSecret',
  'jwtSecrets',
  'unauthorizedRole',
  'dropUnauthorizedSessionVariables',
  'insecure',
  'refuseForeignPages',
  'corsDomain',
  'disableCors',
  'wsReadCookie',
  'enableConsole',
  'consoleMode',
  'graphiql',
  'enabledApis',
  'enableAllowlist',
  'onlySavedOperations',
  'enablePersistedQueries',
  'enableRemoteSchemaPermissions',
  'remoteSchemasDir',
  'inferFunctionPermissions',
  'restrictAggregateOrder',
  'enableApolloFederation',
  'enableRelay',
  'devMode',
  'adminInternalErrors',
  'configuredHeaderPrecedence',
  'outgoingAllow',
  'outgoingDeny',
  'metadataDefaults',
  'experimentalFeatures',
  'enableMaintenanceMode',
  'dynamicSecretsAllowedPathPrefix',
  'metricsSecret',
  'enableMetadataQueryLogging',
  'logMaskedVariables',
];
