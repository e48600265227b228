import { object } from '../../metadata/combinators.ts';
import { type SelectArguments, select } from '../data/select.ts';
import { tableArguments } from '../request/arguments.ts';
import { dataOperation } from '../request/data-operation.ts';
import { columnItems, rowsArguments } from '../request/row-arguments.ts';

export default dataOperation<SelectArguments>({
  name: 'select',
  documentation: 'Reads rows of a tracked table, with those of relationships, as the role may see them.',
  arguments: object({
    ...tableArguments,
    columns: columnItems,
    ...rowsArguments,
  }),
  run: select,
});
