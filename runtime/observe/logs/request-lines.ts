/**
 * The `http-log` line of a request (docs/logs.md), put together by hand: there is one for every request, and the general way
 * costs a tenth of what a short one takes in all.
 */
import type { HttpRequestObservation } from './observe.ts';

/** @param stamp the `timestamp` and its like, as members of an object */
export function requestLine(request: HttpRequestObservation, level: string, stamp: string): string {
  const id = JSON.stringify(request.requestId);
  const variables = request.userVariables ? `"user_vars":${JSON.stringify(request.userVariables)},` : '';
  const query = request.query ? `,"query":${JSON.stringify(request.query)}` : '';
  const rawQuery = request.rawQuery === undefined ? '' : `,"raw_query":${JSON.stringify(request.rawQuery)}`;
  const readTime =
    request.readTime === undefined ? '' : `"request_read_time":${secondsText(request.readTime)},`;
  const { traceId, spanId } = request.trace;
  const error = request.error ? `,"error":${JSON.stringify(request.error)}` : '';
  return (
    `{"level":"${level}",${stamp},"type":"http-log","detail":{"request_id":${id},` +
    `${exchangeText(request)},"operation":{"request_id":${id},${variables}"request_mode":"${request.mode}",` +
    `"response_size":${request.responseSize},` +
    `"uncompressed_response_size":${request.uncompressedResponseSize},` +
    `${readTime}"query_execution_time":${secondsText(request.executionTime)}${query}${rawQuery}${error}}},` +
    `"trace_id":"${traceId}","span_id":"${spanId}"}\n`
  );
}

/** With six decimals, made of an integer: printing a fraction takes several times as long. */
function secondsText(seconds: number): string {
  const microseconds = Math.round(seconds * 1e6);
  if (microseconds >= 1e6) return String(microseconds / 1e6);
  return `0.${String(1e6 + microseconds).slice(1)}`;
}

type Exchange = Pick<
  HttpRequestObservation,
  'status' | 'method' | 'ip' | 'url' | 'httpVersion' | 'contentEncoding'
>;

/** The one that was printed last: most requests of a client are alike. */
let last: { readonly exchange: Exchange; readonly text: string } | undefined;

function exchangeText(request: HttpRequestObservation): string {
  if (last && isSame(last.exchange, request)) return last.text;
  const { status, method, ip, url, httpVersion, contentEncoding } = request;
  const text =
    `"http_info":{"status":${status},"method":${JSON.stringify(method)},` +
    `"ip":${JSON.stringify(ip)},"url":${JSON.stringify(url)},` +
    `"http_version":"HTTP/${httpVersion}","content_encoding":${JSON.stringify(contentEncoding ?? null)}}`;
  last = { exchange: { status, method, ip, url, httpVersion, contentEncoding }, text };
  return text;
}

function isSame(left: Exchange, right: Exchange): boolean {
  return (
    left.status === right.status &&
    left.url === right.url &&
    left.ip === right.ip &&
    left.method === right.method &&
    left.httpVersion === right.httpVersion &&
    left.contentEncoding === right.contentEncoding
  );
}
