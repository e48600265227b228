/**
 * Who is asking. The mode is chosen once, at the start: an admin secret goes before everything, then
 * tokens, the webhook or the unauthorized role.
 * @rule Who sent a request: secret, token, webhook, unauthorized role?
 */
import {
  adminSecrets,
  type Configuration,
  ConfigurationError,
  jwtConfigurations,
} from '../configuration/configuration.ts';
import { EngineError } from '../core/errors.ts';
import type { MemoryBudget } from '../core/memory/budget.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import type { Observer } from '../observe/logs/observe.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import { adminSecretMode } from './admin-secret.ts';
import type { Authenticate, Incoming } from './incoming.ts';
import { openJwtMode } from './jwt/mode.ts';
import { openMode } from './open.ts';
import { unauthorizedMode } from './unauthorized.ts';
import { webhookMode } from './webhook.ts';

export interface Authenticator {
  readonly authenticate: Authenticate;
  /** Ends what runs in the background. */
  readonly stop: () => void;
}

/**
 * The mode that the configuration asks for.
 * @param memory limits how many verified tokens are remembered
 * @throws ConfigurationError when it cannot begin
 */
export async function openAuthentication(...given: Parameters<typeof chooseMode>): Promise<Authenticator> {
  const { authenticate, stop } = await chooseMode(...given);
  const [{ vocabulary }] = given;
  return {
    authenticate: (incoming) => {
      refuseSecondAuthorization(incoming.rawHeaders);
      if (!vocabulary.isCanonical) refuseForeign(incoming, vocabulary);
      return authenticate(incoming);
    },
    stop,
  };
}

/**
 * Node keeps the first of two `Authorization` headers; a proxy may have checked the other one.
 * @param rawHeaders names and values in turn
 * @throws EngineError invalid-headers when they differ
 */
export function refuseSecondAuthorization(rawHeaders: readonly string[]): void {
  let first: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length !== AUTHORIZATION.length || name.toLowerCase() !== AUTHORIZATION) continue;
    const value = rawHeaders[index + 1]!;
    first ??= value;
    if (value !== first)
      throw new EngineError(
        'invalid-headers',
        'the header Authorization was sent twice, with different values',
      );
  }
}

const AUTHORIZATION = 'authorization';

/**
 * A request of two vocabularies is refused: one that ignored `x-engine-role` would pass it on to handlers and remote schemas
 * which may believe it. @throws EngineError bad-request
 */
function refuseForeign({ headers }: Incoming, vocabulary: Vocabulary): void {
  for (const name in headers) {
    if (!vocabulary.isReadAsForeign(name)) continue;
    throw new EngineError(
      'bad-request',
      `the header ${name} is of another vocabulary than this server's, whose headers begin with ${vocabulary.prefix}`,
    );
  }
}

async function chooseMode(
  configuration: Configuration,
  outgoing: Outgoing,
  observe: Observer,
  memory: MemoryBudget,
): Promise<Authenticator> {
  const { vocabulary, unauthorizedRole, authHook } = configuration;
  const secrets = adminSecrets(configuration);
  if (secrets.length === 0) return { authenticate: openMode(vocabulary), stop: () => {} };
  if (authHook !== undefined) {
    const webhook = webhookMode({
      vocabulary,
      url: authHook,
      method: configuration.authHookMode,
      sendBody: configuration.authHookSendRequestBody,
      timeout: configuration.authHookTimeout,
      outgoing,
      observe,
    });
    return { authenticate: adminSecretMode(secrets, vocabulary, webhook), stop: () => {} };
  }
  const unauthorized =
    unauthorizedRole === undefined
      ? undefined
      : unauthorizedMode(unauthorizedRole, configuration.dropUnauthorizedSessionVariables, vocabulary);
  const tokens = jwtConfigurations(configuration);
  if (tokens === undefined)
    return { authenticate: adminSecretMode(secrets, vocabulary, unauthorized), stop: () => {} };
  try {
    const { authenticate, stop } = await openJwtMode(
      tokens,
      outgoing,
      observe,
      memory,
      vocabulary,
      unauthorized,
    );
    return { authenticate: adminSecretMode(secrets, vocabulary, authenticate), stop };
  } catch (error) {
    throw new ConfigurationError(`jwt-secret: ${(error as Error).message}`);
  }
}
