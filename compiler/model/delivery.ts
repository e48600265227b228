/** How a webhook is called: the metadata's keys as the program has them. */
import type { DeliveryShape, RetryShape } from '../../runtime/core/contract/events.ts';
import type { RetryExtras, Signing } from '../../runtime/metadata/kinds/delivery.ts';
import type { JsonObject } from '../../runtime/metadata/metadata.ts';

export function retryExtras({
  backoff,
  retry_on,
  circuit_breaker: breaker,
}: RetryExtras): Pick<RetryShape, 'backoff' | 'on' | 'breaker'> {
  return {
    ...(backoff && {
      backoff: { factor: backoff.factor, maximum: backoff.max_interval_sec, jitter: backoff.jitter },
    }),
    ...(retry_on && { on: retry_on }),
    ...(breaker && { breaker: { failures: breaker.failures, interval: breaker.probe_interval_sec } }),
  };
}

export function deliveryExtras({
  request_transform,
  signing,
}: {
  readonly request_transform?: JsonObject;
  readonly signing?: Signing;
}): Pick<DeliveryShape, 'requestTransform' | 'signing'> {
  return {
    ...(request_transform && { requestTransform: request_transform }),
    ...(signing && { signing: signing.secrets_from_env }),
  };
}
