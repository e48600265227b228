/** How the permissions of two versions differ, cell by cell of the console's matrix. */
import { permissionInWords, variantText } from '../../runtime/console/permission.ts';
import type { AccessObject, DifferenceAnswer, DifferentCell } from '../../runtime/console/questions.ts';
import { OPERATIONS, SHOWN_ASPECTS } from '../../runtime/core/contract/aspects.ts';
import type { Vocabulary } from '../../runtime/core/vocabulary.ts';
import { cellKey, type Matrix, type Permission, permissionsByCell } from './audit/matrix.ts';

export function differenceOf(before: Matrix, now: Matrix, vocabulary: Vocabulary): DifferenceAnswer {
  return { cells: [...tableCells(before, now, vocabulary), ...otherCells(before, now)] };
}

function tableCells(before: Matrix, now: Matrix, vocabulary: Vocabulary): DifferentCell[] {
  const labels = new Map(
    [...before.tables, ...now.tables].map((table) => [cellKey(table.source, table.key, ''), table.name]),
  );
  const [was, is] = [permissionsByCell(before), permissionsByCell(now)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((key): DifferentCell[] => {
    const [old = [], next = []] = [was.get(key), is.get(key)];
    const differing = OPERATIONS.filter(
      (operation) => meaningOf(old, operation) !== meaningOf(next, operation),
    );
    if (differing.length === 0) return [];
    const { source, table, role } = (old[0] ?? next[0])!;
    const shown = (permissions: readonly Permission[]) =>
      permissions
        .filter(({ operation }) => differing.includes(operation))
        .map((each) => permissionInWords(each, each, vocabulary));
    return [
      {
        ...{ kind: 'table', source, name: table, role },
        label: labels.get(cellKey(source, table, '')) ?? table,
        before: lettersOf(old),
        permissions: { before: shown(old), now: shown(next) },
      },
    ];
  });
}

/** Equal for permissions that allow the same by the same text. The order of columns means nothing. */
function meaningOf(permissions: readonly Permission[], wanted: string): string {
  const found = permissions.find(({ operation }) => operation === wanted);
  if (!found) return '';
  const { fields, roots } = found;
  return JSON.stringify([
    ...SHOWN_ASPECTS.map((aspect) => sorted(found[aspect])),
    [...fields].sort(),
    roots.map(({ root, kind }) => `${root} ${kind}`).sort(),
  ]);
}

/** Lists of names and records sorted; an empty one is as none. */
function sorted(value: Permission[keyof Permission]): unknown {
  if (typeof value !== 'object') return value;
  const entries = Array.isArray(value) ? [...value].sort() : Object.entries(value).sort();
  return entries.length === 0 ? undefined : entries;
}

function lettersOf(permissions: readonly Permission[]): string {
  const offered = permissions.filter(({ fields }) => fields.length > 0).map(({ operation }) => operation);
  return variantText((wanted) => permissions.find(({ operation }) => operation === wanted), new Set(offered));
}

interface Used {
  readonly object: AccessObject;
  readonly label: string;
  /** Role → what it may use. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
}

function otherCells(before: Matrix, now: Matrix): DifferentCell[] {
  const [was, is] = [usesOf(before), usesOf(now)];
  return [...new Map([...was, ...is])].flatMap(([key, { object, label }]) => {
    const [old = {}, next = {}] = [was.get(key)?.roles, is.get(key)?.roles];
    return [...new Set([...Object.keys(old), ...Object.keys(next)])].flatMap((role): DifferentCell[] => {
      const uses = { before: old[role] ?? [], now: next[role] ?? [] };
      if (JSON.stringify([...uses.before].sort()) === JSON.stringify([...uses.now].sort())) return [];
      return [{ ...object, label, role, before: uses.before.length > 0 ? 'x' : '', uses }];
    });
  });
}

function usesOf({ functions, actions, remoteSchemas }: Matrix): Map<string, Used> {
  const used: Used[] = [
    ...functions.map(({ source, key, name, fields }) => ({
      object: { kind: 'function' as const, source, name: key },
      label: name,
      roles: fields,
    })),
    ...actions.map(({ name, roles }) => ({
      object: { kind: 'action' as const, source: '', name },
      label: name,
      roles: Object.fromEntries(roles.map((role) => [role, [name]])),
    })),
    ...remoteSchemas.map(({ name, roles }) => ({
      object: { kind: 'remote schema' as const, source: '', name },
      label: name,
      roles,
    })),
  ];
  return new Map(used.map((each) => [JSON.stringify(each.object), each]));
}
