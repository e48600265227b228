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

const KINDS: readonly string[] = [
  'metadata',
  'inconsistencies',
  'queues',
  'calls',
  'remotes',
  'remote',
  'facts',
] satisfies OperatorQuestion['kind'][];

/** Whether answerOperator answers a question. */
export function isForOperators(question: ConsoleQuestion): question is OperatorQuestion {
  return KINDS.includes(question.kind);
}

/** What answers are made of. */
export interface AnswerContext {
  readonly engine: Pick<MetadataEngine<SourceDatabase>, 'state' | 'vocabulary' | 'compareRemote'>;
  readonly store: Pick<MetadataStore, 'withClient' | 'readVersion' | 'read'>;
  /** Roles need permissions for remote schemas. */
  readonly remoteSchemaPermissions: boolean;
}

/** @returns an answer as it is sent, undefined for an object that does not exist */
export async function answerOperator(
  question: OperatorQuestion,
  { engine, store, remoteSchemaPermissions }: AnswerContext,
): Promise<object | undefined> {
  switch (question.kind) {
    case 'metadata':
      return metadataOf(engine, store);
    case 'inconsistencies':
      return inconsistenciesOf(engine.state);
    case 'queues':
      return queuesOf(engine.state, store);
    case 'calls':
      return callsOf(engine.state.metadata, question.action, store);
    case 'remotes':
      return remotesOf(engine.state.metadata, !remoteSchemaPermissions);
    case 'remote':
      return remoteOf(question.name, engine);
    case 'facts':
      return { facts: question.schemas.map(remoteFactTexts) } satisfies FactsAnswer;
  }
}
