/** `npm run generate:docs`: writes the pages that are made from the code; with `--check` names stale pages and exits 1. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { errorsPage } from './errors.ts';
import { metadataPage } from './metadata.ts';
import { metadataApiPage } from './metadata-api.ts';
import { operatorsPage } from './operators.ts';
import { picture } from './picture.ts';

const repository = new URL('../../', import.meta.url);

/** The pages, by path from the top of the repository. */
export function generatedPages(): Readonly<Record<string, string>> {
  return {
    'docs/engine.svg': picture(),
    'docs/errors.md': errorsPage(),
    'docs/metadata-api.md': metadataApiPage(),
    'docs/metadata.md': metadataPage(),
    'docs/operators.md': operatorsPage(),
  };
}

/** Paths of pages that are not what the code says. */
export function stalePages(): readonly string[] {
  return Object.entries(generatedPages()).flatMap(([path, text]) => {
    const file = new URL(path, repository);
    return existsSync(file) && readFileSync(file, 'utf8') === text ? [] : [path];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const stale = stalePages();
  if (!process.argv.includes('--check'))
    for (const [path, text] of Object.entries(generatedPages()))
      writeFileSync(new URL(path, repository), text);
  else if (stale.length > 0) {
    process.stderr.write(`Out of date: ${stale.join(', ')}. Run npm run generate:docs.\n`);
    process.exitCode = 1;
  }
}
