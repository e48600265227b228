import { type SelectArguments, select } from '../../legacy/select.ts';
import { object } from '../../metadata/combinators.ts';
import { tableArguments } from '../arguments.ts';
import { dataOperation } from '../data-operation.ts';
import { columns, rowsArguments } from '../row-arguments.ts';

export default dataOperation<SelectArguments>({
  name: 'select',
  documentation: 'Reads rows of a tracked table, with those of relationships, as the role may see them.',
  arguments: object({
    ...tableArguments,
    columns,
    ...rowsArguments,
  }),
  run: select,
});
