/** What a change does, before it is made. */
import type { PreviewAnswer, PreviewFinding, ProposalAnswer } from '../../proposal-questions.ts';
import { Difference } from '../difference.tsx';
import { Badge, Many, Rule } from '../parts.tsx';
import type { Change } from './change.ts';

export function Problems({
  answer: { problems, warnings },
  changes,
}: {
  readonly answer: Pick<ProposalAnswer<unknown>, 'problems' | 'warnings'>;
  /** The changes that were proposed, in order. */
  readonly changes: readonly Change[];
}) {
  return (
    <>
      {problems.map(({ index, message }) => (
        <p key={`${index} ${message}`} className="problem" role="alert">
          {changes[index]?.title}: {message}
        </p>
      ))}
      {warnings.map((text) => (
        <p key={text} className="quiet">
          {text}
        </p>
      ))}
    </>
  );
}

export function Preview({ preview }: { readonly preview: PreviewAnswer }) {
  const { inconsistencies, audit, lint, statements, files, furtherFiles } = preview;
  const broken = inconsistencies.filter(({ isNew }) => isNew);
  return (
    <>
      {broken.length > 0 && (
        <>
          <h3>No longer served</h3>
          {broken.map(({ name, reason }) => (
            <p key={`${name} ${reason}`} className="problem">
              {name}: {reason}
            </p>
          ))}
        </>
      )}
      <h3>
        Who may do more, who less <small>as engine audit diff says</small>
      </h3>
      {audit.findings.length === 0 && <p className="quiet">No role may do more or less.</p>}
      <Many items={audit.findings}>
        {(shown) => (
          <ul className="plain-list">
            {shown.map((finding) => (
              <Finding key={JSON.stringify(finding)} finding={finding} />
            ))}
          </ul>
        )}
      </Many>
      {(lint.added.length > 0 || lint.gone.length > 0) && (
        <>
          <h3>
            Advice <small>as engine lint says</small>
          </h3>
          <ul className="plain-list">
            {lint.added.map(({ code, message }) => (
              <li key={`${code} ${message}`}>
                <Badge kind="warn">{code}</Badge> {message}
              </li>
            ))}
            {lint.gone.map(({ code, message }) => (
              <li key={`${code} ${message}`} className="quiet">
                <Badge kind="good">settled</Badge> {message}
              </li>
            ))}
          </ul>
        </>
      )}
      {statements.length > 0 && <h3>SQL</h3>}
      {statements.map(({ role, table, operation, sql }) => (
        <details key={`${table} ${operation} ${role}`} open={statements.length === 1}>
          <summary>
            {operation} of {role} on {table}
          </summary>
          <pre className="rule">{sql}</pre>
        </details>
      ))}
      {files.length > 0 && (
        <h3>
          Lines that change <small>of roles' ledgers and the generated code</small>
        </h3>
      )}
      {files.map(({ path, difference }, index) => (
        <details key={path} open={index < 2 && files.length <= 6}>
          <summary>{path}</summary>
          <Difference text={difference} />
        </details>
      ))}
      {furtherFiles > 0 && <p className="quiet">And {furtherFiles} further files.</p>}
      {audit.findings.length > 0 && <p className="quiet">{audit.notCompared}</p>}
    </>
  );
}

const KINDS: Readonly<Record<string, 'good' | 'bad' | 'warn' | 'neutral'>> = {
  wider: 'bad',
  'changed meaning': 'warn',
  undecidable: 'warn',
  'not wider': 'neutral',
  narrower: 'good',
};

function Finding({
  finding: { verdict, role, table, operation, text, before, after },
}: {
  readonly finding: PreviewFinding;
}) {
  const subject = [role ?? 'every role', table, operation].filter(Boolean).join(' · ');
  return (
    <li>
      <Badge kind={KINDS[verdict] ?? 'neutral'}>{verdict}</Badge> <strong>{subject}</strong>: {text}
      {before !== undefined && <Rule words={`before: ${before}`} />}
      {after !== undefined && <Rule words={`after: ${after}`} />}
    </li>
  );
}
