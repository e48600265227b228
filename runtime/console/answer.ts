/** Answers the questions of the console's pages for operators. */

import { remoteFactTexts } from '../core/remotes/facts.ts';
import type { MetadataEngine } from '../metadata-api/change/engine.ts';
import type { SourceDatabase } from '../metadata-api/change/state.ts';
import type { MetadataStore } from '../metadata-api/store/store.ts';
import { inconsistenciesOf } from './inconsistencies.ts';
import { metadataOf } from './metadata.ts';
import type { FactsAnswer, OperatorQuestion } from './operator-questions.ts';
import type { ConsoleQuestion } from './questions.ts';
import { callsOf, queuesOf } from './queues.ts';
import { remoteOf, remotesOf } from './remotes.ts';

/** What answers are made of. */
export interface AnswerContext {
  readonly engine: Pick<MetadataEngine<SourceDatabase>, 'state' | 'vocabulary' | 'compareRemote'>;
  readonly store: Pick<MetadataStore, 'withClient' | 'readVersion' | 'read'>;
  /** Roles need permissions for remote schemas. */
  readonly remoteSchemaPermissions: boolean;
}

const ANSWERS: {
  readonly [Kind in OperatorQuestion['kind']]: (
    context: AnswerContext,
    question: Extract<OperatorQuestion, { kind: Kind }>,
  ) => object | undefined;
} = {
  metadata: ({ engine, store }) => metadataOf(engine, store),
  inconsistencies: ({ engine }) => inconsistenciesOf(engine.state),
  queues: ({ engine, store }) => queuesOf(engine.state, store),
  calls: ({ engine, store }, { action }) => callsOf(engine.state.metadata, action, store),
  remotes: ({ engine, remoteSchemaPermissions: isClosed }) => remotesOf(engine.state.metadata, !isClosed),
  remote: ({ engine }, { name }) => remoteOf(name, engine),
  facts: (_, { schemas }): FactsAnswer => ({ facts: schemas.map(remoteFactTexts) }),
};

/** Whether answerOperator answers a question. */
export function isForOperators(question: ConsoleQuestion): question is OperatorQuestion {
  return Object.hasOwn(ANSWERS, question.kind);
}

/** @returns an answer as it is sent, undefined for an object that does not exist */
export async function answerOperator(
  question: OperatorQuestion,
  context: AnswerContext,
): Promise<object | undefined> {
  // A function of the table takes questions of its kind only.
  return ANSWERS[question.kind](context, question as never);
}
