/** `npm run bench`: see docs/benchmarks.md. */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { resultTable } from './results.ts';
import { benchServing } from './serving.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    case: { type: 'string', default: '' },
    connections: { type: 'string', default: '1,16,64' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '0.7' },
  },
});

const results = await benchServing({
  connections: values.connections.split(',').map(Number),
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  only: values.case,
  progress: (text) => process.stderr.write(`${text}\n`),
});
process.stdout.write(`${resultTable(results)}\n`);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ cases: results }, null, 2)}\n`);
