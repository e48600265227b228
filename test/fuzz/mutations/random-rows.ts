/** Random rows to begin with. */
import type { Row } from '../queries/project.ts';
import { TYPES, type Value } from '../queries/types.ts';
import type { Random } from '../random.ts';
import { PRESET_KEY } from './permissions.ts';

/** They keep all constraints. */
export function randomRows(random: Random): Record<string, Row[]> {
  // What a check finds in other rows changes most where there are none at first.
  if (random.chance(0.3)) return { team: [], player: [], badge: [], profile: [], award: [] };
  const value = (type: 'int4' | 'text' | 'bool' | 'jsonb', empty = 0.25): Value =>
    random.chance(empty) ? null : TYPES[type].random(random);
  // Of several rows the last one often has the key that presets have.
  const key = (index: number, count: number) =>
    index > 0 && index === count - 1 && random.chance(0.8) ? PRESET_KEY : index + 1;
  const names = random.shuffle(['a', 'b', 'ab', "o'k", '{row}', 'A']);
  const teams = random.between(0, 4);
  const team = random.list(teams, (index): Row => {
    const score = random.between(0, 8);
    return {
      id: key(index, teams),
      name: index === 3 ? null : names[index]!,
      score,
      flag: value('bool'),
    };
  });
  const nicks = random.shuffle(['a', 'b', 'ab', 'aB', 'x%y', '{{', 'null']);
  const players = random.between(0, 5);
  const player: Row[] = [];
  for (let index = 0; index < players; index += 1) {
    const n = value('int4') as number | null;
    player.push({
      id: key(index, players),
      team_id: team.length === 0 || random.chance(0.3) ? null : random.pick(team).id!,
      nick: nicks[index]!,
      n,
      info: value('jsonb', 0.1),
      mentor_id: player.length === 0 || random.chance(0.6) ? null : random.pick(player).id!,
      doubled: n === null ? null : n * 2,
    });
  }
  const badge = player.flatMap(({ id }) =>
    random
      .some(['a', 'b', 'A'], 0.4)
      .map((kind): Row => ({ player_id: id!, kind, points: random.between(-1, 5) })),
  );
  const profile = random.some(player, 0.4).map((row, index): Row => {
    const sponsor = team.length > 0 && random.chance(0.4) ? random.pick(team).name! : null;
    return { id: index + 1, player_id: row.id!, bio: value('text'), sponsor };
  });
  const award = random.list(random.between(0, 2), (index): Row => {
    const { player_id, kind } =
      badge.length > 0 && random.chance(0.7) ? random.pick(badge) : { player_id: null, kind: 'a' };
    return { id: index + 1, player_id: player_id!, kind: kind!, note: value('text') };
  });
  return { team, player, badge, profile, award };
}
