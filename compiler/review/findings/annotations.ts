/**
 * Findings as the commands that code hosts' runners read from a step's output and show beside the line
 * (`::error file=…,line=…,col=…,title=…::message`).
 */
import { relativePath, type SarifFinding } from './sarif.ts';

/** Prints one command a finding. */
export function renderAnnotations(findings: readonly SarifFinding[]): string {
  return findings.map(annotation).join('');
}

function annotation({ rule, level, message, location, object, because }: SarifFinding): string {
  const properties = [
    ...(location
      ? [
          ['file', relativePath(location.file)],
          ['line', location.line],
          ['col', location.column],
        ]
      : []),
    ['title', rule],
  ];
  const list = properties.map(([name, value]) => `${name}=${escapeProperty(String(value))}`).join(',');
  const command = level === 'note' ? 'notice' : level;
  const cause = because && `Follows from ${because.rule}${because.object ? ` (${because.object})` : ''}.`;
  const text = [message, ...(cause ? [cause] : []), ...(object ? [object] : [])].join('\n');
  return `::${command} ${list}::${escapeData(text)}\n`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
