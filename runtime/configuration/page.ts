/** docs/configuration.md, made from the table of options; a test keeps the page equal to it. */

import { CANONICAL } from '../core/vocabulary.ts';
import { defaultText, optionName, optionVariable } from './configuration.ts';
import { type Option, optionsIn } from './options.ts';
import { boolean } from './values.ts';

/** The page's text. */
export function configurationPage(): string {
  const rows = (Object.entries(optionsIn(CANONICAL)) as [string, Option][]).map(([key, option]) => {
    const names = [
      ...(option.variableOnly ? [] : [`\`--${optionName(key)}\``]),
      `\`${optionVariable(key, CANONICAL, option)}\``,
    ];
    const value = option.type === boolean ? 'BOOLEAN' : option.type.placeholder;
    return `| ${names.join('<br>')} | ${cell(value)} | ${cell(defaultText(option))} | ${cell(option.help)} |`;
  });
  return `# Configuration

Options of \`engine serve\`. The command line wins over the environment, the environment over the default. A flag that
stands alone is true; booleans are written \`true t yes y\` or \`false f no n\`; lists are separated by commas. A bad value
stops the start with status 1 and one line that names the option or variable. Instead of a variable, its name with \`_FILE\` may
name a file that holds the value, such as a mounted secret: \`ENGINE_GRAPHQL_ADMIN_SECRET_FILE=/run/secrets/admin\`.

| Option, variable | Value | Default | Meaning |
|---|---|---|---|
${rows.join('\n')}
`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('*', '\\*');
}
