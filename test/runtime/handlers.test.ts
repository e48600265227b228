import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const runtime = fileURLToPath(new URL('../../runtime', import.meta.url));

/** Path → text. The page of the console runs in a browser. */
const files = new Map(
  readdirSync(runtime, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('console/page/'))
    .map((file) => [file, readFileSync(`${runtime}/${file}`, 'utf8')]),
);

/** Attached without a last resort: `file event` and why that is safe. */
const UNGUARDED: Readonly<Record<string, string>> = {
  'database/client.ts error': 'does nothing',
  'database/client.ts authenticationOk': 'of a DatabaseClient, whose events are guarded',
  'database/channel.ts error': 'of a DatabaseClient, whose events are guarded',
  'database/channel.ts end': 'of a DatabaseClient',
  'database/channel.ts notification': 'of a DatabaseClient',
  'database/connection.ts error': 'of a DatabaseClient',
  'database/connection.ts end': 'of a DatabaseClient',
  'database/own-tables.ts error': 'does nothing, or of a DatabaseClient',
  'http/waiting-room.ts error': 'of listening, before any client',
  'observe/logs/logger.ts error': 'of standard output, which ends the process on purpose',
  'observe/logs/logger.ts exit': 'of this process',
  'observe/logs/logger.ts write': 'counts',
  'metadata-api/thread/start-thread.ts message':
    'listeners of startMetadataThread are guarded by their callers',
  'metadata-api/thread/start-thread.ts error': 'the same',
  'metadata-api/thread/start-thread.ts exit': 'the same',
  'server/listen.ts error': 'of listening, before any client',
  'server/serve-command.ts uncaughtException': 'the last resort of the process',
  'server/serve-command.ts SIGTERM': 'of the operator',
  'server/serve-command.ts SIGINT': 'of the operator',
  'server/serve-command.ts SIGHUP': 'does nothing',
};

const ATTACHED =
  /\.(?:on|once|addListener|prependListener|prependOnceListener|addEventListener)\(\s*'(\w+)',\s*(guarded\()?/g;

test('handlers of events have a last resort', () => {
  const found = [...files].flatMap(([file, text]) =>
    [...text.matchAll(ATTACHED)]
      .filter(([, , guard]) => guard === undefined)
      .map(([, event]) => `${file} ${event}`),
  );
  expect([...new Set(found)].sort()).toEqual(Object.keys(UNGUARDED).sort());
});

test('connections to databases are made where their events are guarded', () => {
  const made = /new (?:pg\.)?Client\(/;
  const others = [...files].filter(([, text]) => made.test(text)).map(([file]) => file);
  expect(others.sort()).toEqual(['database/client.ts']);
});
