/** Answers what the metadata would be after operations, on a copy of what is served: nothing is stored, and no database is written. */
import { EngineError } from '../core/errors.ts';
import { isObject } from '../core/json/json.ts';
import { jsonText } from '../core/json/json-value.ts';
import { ADMIN_ROLE, type Session } from '../core/session.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import { parseJson } from '../http/body.ts';
import { readMetadata } from '../metadata/read-metadata.ts';
import type { MetadataEngine } from '../metadata-api/change/engine.ts';
import { runRequest } from '../metadata-api/change/run.ts';
import type { SourceDatabase } from '../metadata-api/change/state.ts';
import type { WorkingCopy } from '../metadata-api/change/working-copy.ts';
import { type MetadataRequest, readRequest } from '../metadata-api/request/request.ts';
import { modelOf } from './model.ts';
import type { Reviews } from './preview-change.ts';
import type { PreviewAnswer, Proposal, ProposalAnswer, StepProblem } from './proposal-questions.ts';
import { remotePartOf, servicesOf } from './services.ts';
import { tableOf } from './table-model.ts';

/**
 * Answers with JSON: a ProposalAnswer.
 * @param text a Proposal
 * @throws EngineError for one that cannot be read, or with an operation that does more than change metadata
 */
export async function answerProposal(
  text: string,
  engine: Pick<MetadataEngine<SourceDatabase>, 'state' | 'propose' | 'vocabulary'>,
  { previewChange, describeAction }: Reviews,
): Promise<string> {
  const { operations, show, isFresh = false } = readProposal(parseJson(text));
  const { vocabulary, state: served } = engine;
  const requests = operations.map((operation, index) => readStep(operation, index, vocabulary));
  const answer = await engine.propose(async (copy): Promise<ProposalAnswer<object | null>> => {
    if (isFresh) copy.reintrospect(copy.metadata.sources.map(({ name }) => name));
    await copy.check();
    const problems = await runSteps(requests, copy);
    await copy.check();
    return {
      resourceVersion: copy.resourceVersion,
      problems,
      warnings: copy.warnings.map(({ name, message }) => (name === '' ? message : `${name}: ${message}`)),
      shown: await shown(copy),
    };
  });
  return jsonText(answer);

  async function shown(copy: WorkingCopy): Promise<object | null> {
    switch (show.page) {
      case 'services':
        return servicesOf(copy);
      case 'action':
        return describeAction(copy, show.name, show.text);
      case 'remote':
        return remotePartOf(copy, show);
      case 'model':
        return modelOf(copy);
      case 'table':
        return tableOf(copy, served.metadata, show.source, show.table);
      case 'preview': {
        const since =
          show.since === undefined
            ? served.metadata
            : show.since && readMetadata(show.since, { vocabulary }).value;
        return { inconsistencies: inconsistenciesOf(copy), ...previewChange(served, copy, since) };
      }
    }
  }

  function inconsistenciesOf(copy: WorkingCopy): PreviewAnswer['inconsistencies'] {
    const known = new Set(served.inconsistent.map(({ name, reason }) => `${name} ${reason}`));
    return copy.inconsistent.map(({ name, reason }) => ({
      name: String(name),
      reason,
      isNew: !known.has(`${name} ${reason}`),
    }));
  }
}

/** Runs each request; what fails leaves the copy as it was. */
async function runSteps(requests: readonly MetadataRequest[], copy: WorkingCopy): Promise<StepProblem[]> {
  const problems: StepProblem[] = [];
  const { vocabulary } = copy.services.options;
  const session: Session = { vocabulary, role: ADMIN_ROLE, variables: {}, backendOnly: false };
  for (const [index, request] of requests.entries()) {
    const point = copy.save();
    try {
      await runRequest(request, copy, { session });
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      copy.restore(point);
      problems.push({ index, code: error.code, message: withDetails(error) });
    }
  }
  return problems;
}

/** The objects that an error is about say more than its message. */
function withDetails({ message, internal }: EngineError): string {
  const details = (Array.isArray(internal) ? internal : []).flatMap((each: unknown) => {
    const reason = isObject(each) ? (each.reason ?? each.message) : undefined;
    return typeof reason === 'string' && reason !== message ? [reason] : [];
  });
  return [message, ...new Set(details)].join(': ');
}

/** @throws EngineError */
function readStep(operation: unknown, index: number, vocabulary: Vocabulary): MetadataRequest {
  try {
    const request = readRequest('/v1/metadata', operation, vocabulary);
    requireMetadataOnly(request);
    return request;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const { code, message, path } = error;
    throw new EngineError(code, message, { path: `$.operations[${index}]${path.slice(1)}` });
  }
}

/** Such operations change only the copy. Operations that may run SQL or write rows decide by their arguments, or change no metadata. */
function requireMetadataOnly({ operation, steps }: MetadataRequest): void {
  if (operation.changesMetadata !== true)
    throw new EngineError(
      'not-supported',
      `${operation.name} cannot be shown before it is made: it does more than change the metadata`,
      { path: '$.type' },
    );
  for (const step of steps ?? []) requireMetadataOnly(step);
}

/** @throws EngineError bad-request */
function readProposal(given: unknown): Proposal {
  const { operations, show } = isObject(given) ? given : ({} as Record<string, unknown>);
  if (!Array.isArray(operations))
    throw new EngineError('bad-request', 'operations has to be a list of requests of the metadata API', {
      path: '$.operations',
    });
  if (!isObject(show) || !PAGES.includes(String(show.page)))
    throw new EngineError('bad-request', `show.page is one of ${PAGES.join(', ')}`, { path: '$.show.page' });
  const { source, table, name, text, role, chosen } = show;
  const isNamed =
    typeof source === 'string' &&
    isObject(table) &&
    typeof table.schema === 'string' &&
    typeof table.name === 'string';
  if (show.page === 'table' && !isNamed)
    throw new EngineError('bad-request', 'give source, and table as {schema, name}', { path: '$.show' });
  const isText = (value: unknown) => value === undefined || typeof value === 'string';
  if (![name, text, role].every(isText) || (show.page === 'remote' && name === undefined))
    throw new EngineError('bad-request', 'name, role and text are strings', { path: '$.show' });
  if (chosen !== undefined && !(Array.isArray(chosen) && chosen.every((each) => typeof each === 'string')))
    throw new EngineError('bad-request', 'chosen is a list of fields, each as "Type.field"', {
      path: '$.show.chosen',
    });
  return given as Proposal;
}

const PAGES: readonly string[] = ['model', 'table', 'services', 'action', 'remote', 'preview'];
