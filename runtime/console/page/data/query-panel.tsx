/** The request that shows the rows, its SQL and its plan. None of it reads rows. */
import { useMemo } from 'react';
import { jsonText } from '../../../core/json/json-value.ts';
import type { AccessAnswer } from '../../questions.ts';
import { Explanation } from '../explanation.tsx';
import { openInQuery } from '../hand-over.ts';
import { chosenSession } from './answers.ts';
import type { GraphqlRequest } from './request.ts';

interface QueryPanelProps {
  readonly request: GraphqlRequest;
  readonly role: string;
  readonly access: AccessAnswer | undefined;
}

export function QueryPanel({ request, role, access }: QueryPanelProps) {
  const variables = jsonText(request.variables, '  ');
  const asked = useMemo(() => ({ role, request, user: chosenSession() }), [role, request]);
  return (
    <div className="wide">
      <h2>Query</h2>
      <pre>{request.query}</pre>
      <h3>Variables</h3>
      <pre>{variables}</pre>
      <p>
        <button type="button" onClick={() => openInQuery({ query: request.query, variables })}>
          Open in Query
        </button>
      </p>
      <Explanation asked={asked} access={access} />
    </div>
  );
}
