/** Options whose values are in files, as container platforms hand out secrets: `ENGINE_GRAPHQL_ADMIN_SECRET_FILE=/run/secrets/admin`. */

import { readFileSync } from 'node:fs';
import type { Environment } from '../core/environment-template.ts';
import { fileProblem } from '../core/reasons.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import { ConfigurationError, optionVariable } from './configuration.ts';
import { type Option, optionsIn } from './options.ts';

/**
 * The environment with the variables of options that a variable `…_FILE` names a file for. A line break at the end of the
 * file is not part of the value.
 * @throws ConfigurationError when a file cannot be read, or when both variables of an option are set
 */
export function withFileVariables(environment: Environment, vocabulary: Vocabulary): Environment {
  const values: Record<string, string | undefined> = { ...environment };
  for (const [key, option] of Object.entries<Option>(optionsIn(vocabulary))) {
    const variable = optionVariable(key, vocabulary, option);
    const fileVariable = `${variable}_FILE`;
    const file = environment[fileVariable];
    if (file === undefined) continue;
    if (environment[variable] !== undefined)
      throw new ConfigurationError(
        `Environment variables ${variable} and ${fileVariable} exclude each other`,
      );
    values[variable] = read(file, fileVariable);
  }
  return values;
}

function read(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new ConfigurationError(
      `Environment variable ${variable}: cannot read the file ${file}: ${fileProblem(error)}`,
    );
  }
}
