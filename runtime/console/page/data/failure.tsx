/** Why a request of the data page failed; of a refusal, by which rule. */

import { useMemo } from 'react';
import type { AccessAnswer } from '../../questions.ts';
import { Explanation } from '../explanation.tsx';
import { PlaceText } from '../parts.tsx';
import { chosenSession, Refused } from './answers.ts';

interface FailureProps {
  readonly error: Error;
  readonly role: string;
  readonly access: AccessAnswer | undefined;
}

export function Failure({ error, role, access }: FailureProps) {
  const request = error instanceof Refused && error.isDenial ? error.request : undefined;
  const asked = useMemo(
    () => (request ? { role, request, user: chosenSession() } : undefined),
    [request, role],
  );
  const { reason } = error instanceof Refused ? error : {};
  return (
    <div className="failure" role="alert">
      <p className="problem">{error.message}</p>
      {reason && (
        <p>
          {reason.why}{' '}
          {reason.paths?.map((path) => (
            <PlaceText key={path} text={path} />
          ))}
        </p>
      )}
      {asked && <Explanation asked={asked} access={access} />}
    </div>
  );
}
