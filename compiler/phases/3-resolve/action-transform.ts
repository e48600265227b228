/** Transforms of actions: templates are parsed, and their lookups compared with what a call can have. */
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at, type Diagnostic } from '../../../runtime/core/diagnostics/diagnostic.ts';
import type { Shape } from '../../../runtime/core/template/check.ts';
import {
  checkTransform,
  isUnmarkedForm,
  readRequestTransform,
  readResponseTransform,
  TransformDefinitionError,
  type TransformProblem,
} from '../../../runtime/core/template/definition.ts';
import type { Action, CustomTypes } from '../../../runtime/metadata/metadata.ts';
import { baseType } from './custom-types.ts';
import { Failure } from './report.ts';

const ANY: Shape = { kind: 'any' };
const KINDS = ['request_transform', 'response_transform'] as const;

/** Checks both transforms: what looks for something that is never there is a warning. @throws Failure */
export function checkTransforms(action: Action, types: CustomTypes): Diagnostic[] {
  const { definition, path, name } = action;
  const request = [...path, 'definition', 'request_transform'];
  return KINDS.flatMap((kind) => {
    const given = definition[kind];
    if (!given) return [];
    const lookups = problemsOf(kind, given, action, types).map((problem) =>
      at(
        [...path, 'definition', kind],
        messages.actionTemplateLookup({
          transform: `${kind}.${problem.at}`,
          action: name,
          reason: problem.message,
        }),
      ),
    );
    const isForm = kind === 'request_transform' && isUnmarkedForm(readRequestTransform(given));
    return isForm
      ? [...lookups, at(request, messages.formContentType({ object: `action "${name}"` }))]
      : lookups;
  });
}

function problemsOf(
  kind: (typeof KINDS)[number],
  given: object,
  { name, definition }: Action,
  types: CustomTypes,
): readonly TransformProblem[] {
  try {
    if (kind === 'response_transform') {
      return checkTransform(readResponseTransform(given), {
        $body: ANY,
        $response: ANY,
        $request: ANY,
        $session_variables: ANY,
      });
    }
    const input: Shape = {
      kind: 'object',
      fields: Object.fromEntries(
        definition.arguments.map(({ name: argument, type }) => [argument, shapeOf(type, types, new Set())]),
      ),
    };
    const body: Shape = {
      kind: 'object',
      fields: {
        action: { kind: 'object', fields: { name: { kind: 'scalar', name } } },
        input,
        session_variables: ANY,
        request_query: { kind: 'scalar', name: 'String' },
      },
    };
    return checkTransform(readRequestTransform(given), {
      $body: body,
      $base_url: { kind: 'scalar', name: 'String' },
      $session_variables: ANY,
      $query_params: ANY,
    });
  } catch (error) {
    if (!(error instanceof TransformDefinitionError)) throw error;
    throw new Failure(messages.actionTransformInvalid({ transform: kind, reasons: error.message }));
  }
}

/** @param open input objects that are being described: what is below a recursion can be anything */
function shapeOf(type: string, types: CustomTypes, open: ReadonlySet<string>): Shape {
  const list = /^\[(.*)\]$/.exec(type.replace(/!$/, ''));
  if (list) return { kind: 'array', item: shapeOf(list[1]!, types, open) };
  const name = baseType(type);
  const object = types.input_objects.find((each) => each.name === name);
  if (!object)
    return types.scalars.some((scalar) => scalar.name === name) || /^jsonb?$/.test(name)
      ? ANY
      : { kind: 'scalar', name };
  if (open.has(name)) return ANY;
  const below = new Set([...open, name]);
  return {
    kind: 'object',
    fields: Object.fromEntries(object.fields.map((field) => [field.name, shapeOf(field.type, types, below)])),
  };
}
