/** Answers the questions of the console's pages for operators. */

import type { MetadataEngine } from '../metadata-api/engine.ts';
import type { SourceDatabase } from '../metadata-api/state.ts';
import { inconsistenciesOf } from './inconsistencies.ts';
import type { OperatorQuestion } from './operator-questions.ts';

/** What answers are made of. */
export interface AnswerContext {
  readonly engine: Pick<MetadataEngine<SourceDatabase>, 'state'>;
}

/** @returns an answer as it is sent, undefined for an object that does not exist */
export async function answerOperator(
  question: OperatorQuestion,
  { engine }: AnswerContext,
): Promise<object | undefined> {
  switch (question.kind) {
    case 'inconsistencies':
      return inconsistenciesOf(engine.state);
  }
}
