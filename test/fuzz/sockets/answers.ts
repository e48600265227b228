/** What no answer of the server may hold, whatever was asked. */
/** Problems in all that came back on a connection of WebSockets. */
export function socketProblems(received: Buffer): string[] {
  const text = received.toString('latin1');
  const problems = unexpectedErrors(text);
  if (text.includes('{"server_error_msg":"4500')) problems.push('closed with 4500');
  return problems;
}

/**
 * Problems in all that came back on a connection of HTTP.
 * @param isOfPeers the requests called peers, of which errors may be passed on
 */
export function httpProblems(received: Buffer, isOfPeers: boolean): string[] {
  const text = received.toString('latin1');
  const problems = unexpectedErrors(text, isOfPeers);
  if (text.includes('"statusCode":')) problems.push("an answer in the framework's shape");
  for (const [head, status] of text.matchAll(/HTTP\/1\.1 (\d{3}) [^\r]*\r\n(?:[^\r\n]+\r\n)*\r\n/g)) {
    if (status === '101' || status === '100') continue;
    if (!/\r\nx-request-id: /i.test(head))
      problems.push(`an answer without a request id: ${head.split('\r\n')[0]}`);
  }
  return [...new Set(problems)];
}

const UNEXPECTED =
  /"(?:message|error)":"((?:[^"\\]|\\.)*)"[^{}]*(?:"extensions":\{[^{}]*)?"code":"unexpected"/g;

function unexpectedErrors(text: string, isOfPeers = false): string[] {
  if (text.includes('"Internal Server Error"')) return ['Internal Server Error'];
  const messages = [...text.matchAll(UNEXPECTED)].map(([, message]) => message!);
  if (isOfPeers) return [];
  return [...new Set(messages)].map((message) => `unexpected: ${message.slice(0, 200)}`);
}
