/** Compares remote schemas: what they offer and to whom, what names mean there, and which rows lead there. */
import { isDeepStrictEqual } from 'node:util';
import { Kind, print } from 'graphql';
import { CLOSING_OPTION } from '../../../runtime/core/program/facts.ts';
import type { Table } from '../../../runtime/core/program/program.ts';
import { readRemoteDocument, withoutDescriptions } from '../../../runtime/core/remotes/document.ts';
import { type RemoteFact, remoteFacts, remoteFactText } from '../../../runtime/core/remotes/facts.ts';
import { remoteNames } from '../../../runtime/core/remotes/names.ts';
import type { RemoteRelationshipShape, RemoteSchemaShape } from '../../../runtime/core/remotes/shapes.ts';
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import { beyond } from './beyond.ts';
import type { Finding, Verdict } from './finding.ts';

export function remoteFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  return [
    ...wholeRemoteFindings(base, head),
    ...compareRemoteParts(base, head),
    ...nameFindings(base, head),
    ...remoteRelationshipFindings(base, head),
  ];
}

/** Texts that differ only in descriptions are the same. */
function textOf(sdl: string): string {
  return print(withoutDescriptions(readRemoteDocument(sdl).document));
}

/** Names of fields and types that clients know, and that mean something else on the other server now: so do known texts. */
function nameFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const [before, after] = [base, head].map(
    ({ generated: { remotes = [] } }) => new Map(remotes.flatMap((remote) => [...meanings(remote)])),
  );
  return [...after!].flatMap(([name, meaning]): Finding[] => {
    const was = before!.get(name);
    return was === undefined || was === meaning
      ? []
      : [
          {
            ...{ verdict: 'changed meaning', subject: 'columns' },
            text: `the ${name} is ${meaning} now; before it was ${was}`,
          },
        ];
  });
}

/** `field a of type Item` → `name of Item of the remote schema shop`. */
function* meanings({ name: remote, schema, customization }: RemoteSchemaShape): Iterable<[string, string]> {
  const { roots, types } = readRemoteDocument(schema);
  const names = remoteNames(customization, new Set(Object.values(roots)));
  const rootOf = new Map(Object.entries(roots).map(([root, type]) => [type, root]));
  for (const [original, type] of types) {
    const root = rootOf.get(original);
    if (root === undefined)
      yield [`type ${names.type(original)}`, `${original} of the remote schema ${remote}`];
    if (type.kind !== Kind.OBJECT_TYPE_DEFINITION && type.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue;
    const place =
      root === undefined ? `type ${names.type(original)}` : [root, names.namespace].filter(Boolean).join('.');
    for (const { name } of type.fields ?? [])
      yield [
        `field ${names.field(original, name.value)} of ${place}`,
        `${name.value} of ${original} of the remote schema ${remote}`,
      ];
  }
}

/** Compares whole remote schemas: the server applies their permissions only if an option says so. */
function wholeRemoteFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const schemas = ({ generated: { remotes = [] } }: GeneratedCode) =>
    new Map(remotes.map(({ name, schema }) => [name, textOf(schema)]));
  const before = schemas(base);
  return [...schemas(head)].flatMap(([name, schema]): Finding[] => {
    const was = before.get(name);
    if (was === schema) return [];
    const what = was === undefined ? 'is new' : 'offers something else';
    const text = `the remote schema ${name} ${what}; without ${CLOSING_OPTION} all roles see the whole`;
    return [{ verdict: 'undecidable', subject: 'operations', text }];
  });
}

/** Fields, arguments and presets of the part of a remote schema that a role sees, before and after. */
function compareRemoteParts(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const remotes = ({ generated: { remotes: all = [] } }: GeneratedCode) =>
    new Map(all.map((remote) => [remote.name, remote]));
  const before = remotes(base);
  return [...remotes(head)].flatMap(([name, remote]) =>
    Object.keys(remote.roles).flatMap((role): Finding[] => {
      const was = before.get(name);
      if (role === ADMIN_ROLE || !was || !Object.hasOwn(was.roles, role)) return [];
      const [part, present] = [was, remote].map((each) => textOf(each.roles[role]!));
      if (part === present) return [];
      const [old, next] = [was, remote].map((each) => remoteFacts(each.roles[role]!));
      const finding = (verdict: Verdict, text: string): Finding => ({
        ...{ verdict, subject: 'columns', role },
        text: `remote schema ${name}: ${text}`,
      });
      const [gained, lost] = [beyond(next!, old!), beyond(old!, next!)];
      if (gained.length + lost.length === 0) return [finding('undecidable', 'types of its part differ')];
      const about = (facts: readonly RemoteFact[], isPreset: boolean, verdict: Verdict, text: string) => {
        const texts = facts.filter(({ preset }) => (preset !== undefined) === isPreset).map(remoteFactText);
        return texts.length > 0 ? [finding(verdict, `${text} ${texts.join(', ')}`)] : [];
      };
      // A preset says what is sent: another one is neither more nor less.
      return [
        ...about(gained, false, 'wider', 'may now use'),
        ...about(gained, true, 'undecidable', 'sends'),
        ...about(lost, true, 'wider', 'no longer sends'),
        ...about(lost, false, 'narrower', 'may no longer use'),
      ];
    }),
  );
}

/** Relationships of tables to remote schemas and other sources, for the roles that read the table. */
function remoteRelationshipFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const idOf = ({ source, key }: Table) => JSON.stringify([source.name, key]);
  const old = new Map(base.program.tables.map((table) => [idOf(table), table]));
  return head.program.tables.flatMap((table) => {
    const was = old.get(idOf(table));
    if (!was) return [];
    const [before, after] = [was, table].map(({ shape }) => shape.remoteRelationships ?? {});
    const place = head.locate(table.shape);
    return Object.keys(head.accessOf(table).select ?? {}).flatMap((role): Finding[] => {
      const finding = (verdict: Verdict, text: string): Finding => ({
        ...{ verdict, subject: 'columns', role, source: table.source.name, table: table.key, text },
        ...(place && { place }),
      });
      return [...new Set([...Object.keys(before!), ...Object.keys(after!)])].sort().flatMap((name) => {
        const [from, to] = [before![name], after![name]];
        if (!to)
          return [finding('narrower', `the relationship ${name} no longer leads to ${leadsTo(from!)}`)];
        if (isDeepStrictEqual(withoutText(from), withoutText(to))) return [];
        const text = from
          ? `the relationship ${name} leads to ${leadsTo(to)}; before: ${leadsTo(from)}`
          : `the relationship ${name} is new: it leads to ${leadsTo(to)}`;
        return [finding('undecidable', text)];
      });
    });
  });
}

function withoutText(shape: RemoteRelationshipShape | undefined): unknown {
  if (!shape) return undefined;
  const { description: _, ...rest } = shape;
  return rest;
}

function leadsTo(shape: RemoteRelationshipShape): string {
  if (shape.to === 'source') {
    const pairs = Object.entries(shape.columns).map(([own, other]) => `${other} = ${own}`);
    return `${shape.target} of source ${shape.source} (${pairs.join(', ')})`;
  }
  const fields = shape.path.map(({ field }) => field).join('.');
  return `${fields} of the remote schema ${shape.remote}, which is sent ${shape.keys.join(', ') || 'no column'}`;
}
