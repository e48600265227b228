/**
 * Findings as SARIF 2.1.0 (OASIS), the form in which code hosts take the results of analyses. Paths are relative to the
 * working folder, with `/`; columns count UTF-16 units, both from 1.
 *
 * Rules carry their whole documentation (`fullDescription`, `help.markdown`, as `engine explain` prints it) and no `helpUri`:
 * that has to be an absolute address (§3.49.12), and pages that belong to the installed version have none.
 */
import { createHash } from 'node:crypto';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { causesFirst } from '../../../runtime/core/diagnostics/causes.ts';
import type { Diagnostic, Location } from '../../../runtime/core/diagnostics/diagnostic.ts';
import type { MessageTemplate } from './messages.ts';

/** A kind of finding. */
export interface SarifRule {
  readonly id: string;
  readonly level: SarifLevel;
  /** One sentence. */
  readonly summary: string;
  /** Why it matters and what to do, as Markdown. */
  readonly help: string;
}

type SarifLevel = 'error' | 'warning' | 'note';

export interface SarifFinding {
  readonly rule: string;
  readonly level: SarifLevel;
  readonly message: string;
  readonly location?: Location;
  /** Its subject by names: `sources.default.tables.public.article`. Identifies a finding across runs. */
  readonly object?: string;
  /** The finding that this one follows from. */
  readonly because?: Pick<SarifFinding, 'rule' | 'location' | 'object'>;
}

/** Prints findings, with the rules that they refer to. */
export function renderSarif(
  findings: readonly SarifFinding[],
  rules: readonly SarifRule[],
  version: string,
): string {
  const found = new Set(findings.map(({ rule }) => rule));
  const used = rules.filter(({ id }) => found.has(id));
  const indexes = new Map(used.map(({ id }, index) => [id, index]));
  const log = {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'engine', version, rules: used.map(describeRule) } },
        // Code hosts put their checkout in its place.
        originalUriBaseIds: { [ROOT]: { description: { text: 'The working folder' } } },
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding) => describeFinding(finding, indexes.get(finding.rule))),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function describeRule({ id, level, summary, help }: SarifRule): object {
  return {
    id,
    name: id.replaceAll(/(?:^|-)(\w)/g, (_match, letter: string) => letter.toUpperCase()),
    shortDescription: { text: summary },
    fullDescription: { text: plainText(help.split('\n\n', 1)[0]!) },
    help: { text: plainText(help), markdown: help },
    defaultConfiguration: { level },
  };
}

/** Without the marks of code: where Markdown is not rendered, they are noise. */
function plainText(markdown: string): string {
  return markdown.replaceAll(/^```\w*\n|^```$\n?|`/gm, '').trim();
}

function describeFinding(finding: SarifFinding, index: number | undefined) {
  const { rule, level, message, location, object, because } = finding;
  const places = object || location ? [describePlace(finding)] : [];
  // Not by the line, which moves with every edit above it.
  const identity = createHash('sha256')
    .update(JSON.stringify([rule, object, message]))
    .digest('hex');
  return {
    ruleId: rule,
    ...(index !== undefined && { ruleIndex: index }),
    level,
    // A number in parentheses is a link to the related location.
    message: { text: because ? `${message}\nFollows from [${because.rule}](1).` : message },
    locations: places,
    ...(because && { relatedLocations: [{ id: 1, ...describePlace(because) }] }),
    partialFingerprints: { 'engineFinding/v1': identity },
  };
}

function describePlace({ location, object }: Pick<SarifFinding, 'location' | 'object'>): object {
  return {
    ...(location && { physicalLocation: describeLocation(location) }),
    ...(object && { logicalLocations: [{ fullyQualifiedName: object }] }),
  };
}

function describeLocation({ file, line, column }: Location): object {
  return {
    artifactLocation: describeFile(file),
    region: { startLine: line, startColumn: column },
  };
}

const ROOT = '%SRCROOT%';

/** A file of the working folder by its path; one outside, which no code host can show, by its address. */
function describeFile(file: string): object {
  const path = relativePath(file);
  if (path.startsWith('../') || isAbsolute(path)) return { uri: pathToFileURL(resolve(file)).href };
  return { uri: path.split('/').map(encodeURIComponent).join('/'), uriBaseId: ROOT };
}

/** The path as code hosts write it: relative to the working folder, with `/`. */
export function relativePath(file: string): string {
  const path = isAbsolute(file) ? relative(process.cwd(), file) : file;
  return path.split(sep).join('/').replace(/^\.\//, '');
}

/** Diagnostics as findings, causes first. */
export function findingsOf(
  diagnostics: readonly Diagnostic[],
  describe: (path: Diagnostic['path']) => string,
): SarifFinding[] {
  return causesFirst(diagnostics).map((each) => {
    const { because, details = [] } = each;
    return {
      ...describeDiagnostic(each, describe),
      level: each.severity,
      message: [each.message, ...details].join('\n'),
      ...(because && { because: describeDiagnostic(because, describe) }),
    };
  });
}

function describeDiagnostic(
  { code, path, location }: Pick<Diagnostic, 'code' | 'path' | 'location'>,
  describe: (path: Diagnostic['path']) => string,
) {
  return { rule: code, ...(location && { location }), object: describe(path) };
}

/** The catalogue's messages as rules. */
export function sarifRules(messages: readonly MessageTemplate[]): SarifRule[] {
  return messages.map(({ code, severity, lines, prose }) => ({
    id: code,
    level: severity,
    summary: lines[0]!.replace(/%(\w+)\??%/g, '‹$1›'),
    help: prose,
  }));
}
