/** Everything in the server that calls out while it answers: action handlers, remote schemas, webhooks of permissions. */

import type { Configuration } from '../configuration/configuration.ts';
import { ACTION_CALLER } from '../core/action/provider.ts';
import type { Environment } from '../core/environment-template.ts';
import { REMOTE } from '../core/remotes/remote-root.ts';
import { ADMIN_ROLE } from '../core/session.ts';
import type { Runnable } from '../graphql/request.ts';
import type { Observer } from '../observe/logs/observe.ts';
import { type Asynchronous, createAsynchronous } from '../outgoing/actions/asynchronous.ts';
import { actionCaller } from '../outgoing/actions/caller.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import { createRemoteCaller } from '../outgoing/remote/caller.ts';
import { createInputValidator } from '../outgoing/validation/validator.ts';

export interface Calls {
  /** The callers of requests. */
  readonly forRequests: Required<Pick<Runnable, 'callers' | 'inputValidator'>>;
  readonly asynchronous: Asynchronous;
}

/** @param databaseUrl of the database in which asynchronous actions are stored */
export function createCalls(
  configuration: Configuration,
  environment: Environment,
  databaseUrl: string | undefined,
  outgoing: Outgoing,
  observe: Observer,
): Calls {
  const shared = { environment, configuredFirst: configuration.configuredHeaderPrecedence };
  const actions = {
    ...shared,
    send: outgoing.send,
    observe,
  };
  const asynchronous = createAsynchronous({
    ...actions,
    vocabulary: configuration.vocabulary,
    databaseUrl,
    interval: configuration.disableEventing ? 0 : configuration.asyncActionsFetchInterval,
    watchInterval: configuration.liveQueriesMultiplexedRefetchInterval,
    batchSize: configuration.asyncActionsFetchBatchSize,
    retention: configuration.asyncActionsRetention,
    completion: completionOf(configuration),
    report: (message, error) => {
      const reason = error instanceof Error ? error.message : String(error);
      observe({ kind: 'unstructured', level: 'error', message: `${message} ${reason}` });
    },
    notice: (message) => observe({ kind: 'unstructured', level: 'info', message }),
  });
  const remote = createRemoteCaller({
    outgoing,
    environment,
    prioritizeData: configuration.remoteSchemaPrioritizeData,
    observe,
  });
  const inputValidator = createInputValidator({
    ...shared,
    outgoing,
    observe,
  });
  const showsDetails = (role: string) =>
    configuration.devMode || (configuration.adminInternalErrors && role === ADMIN_ROLE);
  const callers = {
    [REMOTE]: remote,
    [ACTION_CALLER]: actionCaller({ ...actions, asynchronous, showsDetails }),
  };
  return { forRequests: { callers, inputValidator }, asynchronous };
}

function completionOf({ asyncActionsCompletionUrl: url, asyncActionsCompletionTimeout }: Configuration) {
  return url === undefined
    ? undefined
    : { url: url.replace(/\/+$/, ''), timeout: asyncActionsCompletionTimeout };
}
