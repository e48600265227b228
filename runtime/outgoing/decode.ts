/** Undoes `Content-Encoding`: forwarded headers may have asked for it. */
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, type ZlibOptions } from 'node:zlib';
import { OutgoingError } from './error.ts';
import { headerOf, type OutgoingResponse } from './message.ts';

type Decompress = (body: Buffer, options: ZlibOptions) => Promise<Buffer>;

const DECOMPRESS: Readonly<Record<string, Decompress>> = {
  gzip: promisify<Buffer, ZlibOptions, Buffer>(gunzip),
  'x-gzip': promisify<Buffer, ZlibOptions, Buffer>(gunzip),
  deflate: promisify<Buffer, ZlibOptions, Buffer>(inflate),
  br: promisify<Buffer, ZlibOptions, Buffer>(brotliDecompress),
};

/** The answer, decompressed. @throws OutgoingError when it cannot be, or has more than `maxSize` bytes */
export function decode(
  response: OutgoingResponse,
  maxSize: number,
): OutgoingResponse | Promise<OutgoingResponse> {
  const encoding = headerOf(response, 'content-encoding')?.trim().toLowerCase();
  if (encoding === undefined || encoding === 'identity' || response.body.length === 0) return response;
  return decompressed(response, encoding, maxSize);
}

async function decompressed(
  response: OutgoingResponse,
  encoding: string,
  maxSize: number,
): Promise<OutgoingResponse> {
  const decompress = DECOMPRESS[encoding];
  if (!decompress) {
    const known = Object.keys(DECOMPRESS).join(', ');
    const message = `the answer is encoded as ${JSON.stringify(encoding)}; only ${known} can be read`;
    throw new OutgoingError('failed', message);
  }
  try {
    return { ...response, body: await decompress(response.body, { maxOutputLength: maxSize }) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new OutgoingError('too-large', `the answer has more than ${maxSize} bytes`);
    throw new OutgoingError('failed', `the answer is not compressed with ${encoding}, as its headers say`);
  }
}
