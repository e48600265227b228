/**
 * `npm run generate`: compiles the example to `generated/`, from a database that lives only as long. With `--check`
 * nothing is written; stale files are named and the exit status is 1. CI runs that.
 */
import { startEmbeddedPostgres } from '../compiler/offline/embedded.ts';
import { compileExample, fillDatabase } from './prepare.ts';

const postgres = await startEmbeddedPostgres();
try {
  const databaseUrl = await postgres.createDatabase('helpdesk');
  await fillDatabase(databaseUrl);
  const { status, output } = await compileExample(databaseUrl, ...process.argv.slice(2));
  if (output !== '') console.log(output);
  process.exitCode = status;
} finally {
  await postgres.stop();
}
