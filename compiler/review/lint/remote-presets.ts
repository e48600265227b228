/** Presets of remote schemas: a value that comes from the session in one place and from the client in another. */
import { GraphQLError, Kind, print as printAst } from 'graphql';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { type RemoteDocument, readRemoteDocument } from '../../../runtime/core/remotes/document.ts';
import { isStatic, presetOf } from '../../../runtime/core/remotes/preset.ts';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';
import type { LintFinding } from './finding.ts';
import type { LintInput } from './place.ts';

/** An argument or input field of a role's schema. */
interface Input {
  /** `Query.orders(tenant)`, or `Filter.tenant`. */
  readonly place: string;
  /** Equal for inputs of one name and type. */
  readonly key: string;
  readonly name: string;
  /** The session variable that its preset names. */
  readonly variable?: string;
  readonly isPreset: boolean;
}

/** Inputs that a role may choose, where an input of equal name and type is preset with a session variable. */
export function lostPresets({ metadata, vocabulary }: LintInput): LintFinding[] {
  return metadata.remote_schemas.flatMap(({ name: remote, permissions }) =>
    permissions.flatMap(({ role, definition, path }): LintFinding[] => {
      const inputs = inputsOf(definition.schema, vocabulary);
      const open = inputs.filter(({ isPreset }) => !isPreset);
      return open.flatMap(({ key, name, place }) => {
        const preset = inputs.find((each) => each.key === key && each.variable !== undefined);
        if (!preset) return [];
        const facts = { role, remote, name, place, other: preset.place, variable: preset.variable! };
        const diagnostic = at(path, messages.remotePresetLost(facts));
        const cause = [remote, role, key];
        return [{ diagnostic, tables: [], columns: [], role, place, cause }];
      });
    }),
  );
}

function inputsOf(sdl: string, vocabulary: Vocabulary): Input[] {
  let document: RemoteDocument;
  try {
    document = readRemoteDocument(sdl);
  } catch (error) {
    // Reported as an error of the metadata.
    if (error instanceof GraphQLError) return [];
    throw error;
  }
  return [...document.types.values()].flatMap((type) => {
    if (type.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION)
      return (type.fields ?? []).map((field) =>
        inputOf(`${type.name.value}.${field.name.value}`, field, vocabulary),
      );
    if (type.kind !== Kind.OBJECT_TYPE_DEFINITION && type.kind !== Kind.INTERFACE_TYPE_DEFINITION) return [];
    return (type.fields ?? []).flatMap((field) =>
      (field.arguments ?? []).map((argument) =>
        inputOf(`${type.name.value}.${field.name.value}(${argument.name.value})`, argument, vocabulary),
      ),
    );
  });
}

function inputOf(place: string, definition: Parameters<typeof presetOf>[0], vocabulary: Vocabulary): Input {
  const { value: name } = definition.name;
  const type = printAst(definition.type).replace(/!$/, '');
  const head = { place, name, key: `${name}: ${type}` };
  const directive = presetOf(definition);
  const value = directive?.arguments?.find((argument) => argument.name.value === 'value')?.value;
  const isVariable =
    directive &&
    value?.kind === Kind.STRING &&
    !isStatic(directive) &&
    vocabulary.toCanonical(value.value) !== undefined;
  return { ...head, isPreset: directive !== undefined, ...(isVariable && { variable: value.value }) };
}
