/** Compares what other servers do: actions, remote schemas, and the webhooks that event triggers send rows to. */
import { isDeepStrictEqual } from 'node:util';
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import type { Finding, Verdict } from './finding.ts';

/** What roles may call of other servers, and what they are sent. */
export function serviceFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  return [
    ...compareServices(actionsOf(base), actionsOf(head), 'call the action'),
    ...compareServices(remotesOf(base), remotesOf(head), 'ask the remote schema'),
    ...eventFindings(base, head),
  ];
}

/** A service by name, with what each role gets of it. */
type Services = ReadonlyMap<
  string,
  { readonly definition: unknown; readonly roles: ReadonlyMap<string, unknown> }
>;

function actionsOf({ generated: { actions } }: GeneratedCode): Services {
  return new Map(
    (actions?.actions ?? []).map(({ roles, description, ...definition }) => [
      definition.name,
      { definition: [definition, actions!.types], roles: new Map(roles.map((role) => [role, true])) },
    ]),
  );
}

function remotesOf({ generated: { remotes = [] } }: GeneratedCode): Services {
  return new Map(
    remotes.map(({ roles, ...definition }) => [
      definition.name,
      { definition, roles: new Map(Object.entries(roles)) },
    ]),
  );
}

function compareServices(before: Services, after: Services, verb: string): Finding[] {
  const finding = (verdict: Verdict, role: string, text: string): Finding => ({
    ...{ verdict, subject: 'operations', role, text },
  });
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [was, is] = [before.get(name), after.get(name)];
    const roles = new Set([...(was?.roles.keys() ?? []), ...(is?.roles.keys() ?? [])]);
    roles.delete(ADMIN_ROLE);
    return [...roles].flatMap((role): Finding[] => {
      if (!was?.roles.has(role)) return [finding('wider', role, `may now ${verb} ${name}`)];
      if (!is?.roles.has(role)) return [finding('narrower', role, `may no longer ${verb} ${name}`)];
      const isSame =
        isDeepStrictEqual(was.roles.get(role), is.roles.get(role)) &&
        isDeepStrictEqual(was.definition, is.definition);
      return isSame ? [] : [finding('undecidable', role, `may ${verb} ${name}, which is defined otherwise`)];
    });
  });
}

function eventFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const triggers = ({ generated: { events } }: GeneratedCode) =>
    new Map(
      (events?.sources ?? []).flatMap(({ source, triggers: all }) =>
        all.map((trigger) => [JSON.stringify([source, trigger.name]), { source, trigger }] as const),
      ),
    );
  const before = triggers(base);
  return [...triggers(head)].flatMap(([key, { source, trigger }]): Finding[] => {
    const was = before.get(key)?.trigger;
    if (isDeepStrictEqual(was, trigger)) return [];
    return [
      {
        ...{
          verdict: 'undecidable',
          subject: 'rows',
          source,
          table: `${trigger.table.schema}.${trigger.table.name}`,
        },
        text: `the event trigger ${trigger.name} ${was ? 'captures or sends otherwise' : 'sends its rows to a webhook now'}`,
      },
    ];
  });
}
