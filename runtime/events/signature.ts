/** Signatures of calls, as Standard Webhooks has them: an HMAC over the id, the time of the attempt and the body. */
import { createHmac } from 'node:crypto';

/** Reads `whsec_<base64>`, with or without the prefix; undefined for anything else. */
export function readSecret(text: string | undefined): Buffer | undefined {
  const encoded = text?.replace(/^whsec_/, '') ?? '';
  return /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded)
    ? Buffer.from(encoded, 'base64')
    : undefined;
}

/**
 * The headers that sign a call, one signature for each secret.
 * @param id the same for all attempts
 */
export function signatureHeaders(
  secrets: readonly Buffer[],
  id: string,
  body: string | Uint8Array,
): readonly (readonly [name: string, value: string])[] {
  const timestamp = Math.floor(Date.now() / 1000);
  const signatures = secrets.map((secret) => {
    const digest = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest('base64');
    return `v1,${digest}`;
  });
  return [
    ['webhook-id', id],
    ['webhook-timestamp', String(timestamp)],
    ['webhook-signature', signatures.join(' ')],
  ];
}
