/** Other gateways, installed when a benchmark first asks for them, into a folder of their own. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface GatewayOptions {
  /** Where the gateways are installed. */
  readonly folder: string;
  readonly users: string;
  readonly posts: string;
}

/** Installs the gateways unless they are there. Returns their folder. @throws Error if they cannot be installed */
export function installGateways(progress: (text: string) => void): string {
  const folder = fileURLToPath(new URL('gateways', import.meta.url));
  if (existsSync(join(folder, 'node_modules'))) return folder;
  progress('installing other gateways into test/bench/gateways (500 MB; --no-gateways leaves them out)');
  const options = [
    '--no-save',
    '--no-package-lock',
    '--no-audit',
    '--no-fund',
    '--silent',
    '--ignore-scripts',
  ];
  const { status } = spawnSync('npm', ['install', ...options], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('npm could not install other gateways; --no-gateways leaves them out');
  return folder;
}
