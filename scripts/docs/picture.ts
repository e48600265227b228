/** docs/engine.svg, the picture of the README: what goes in, what is generated, and who uses it. */

const FONT = 'font-family="system-ui, sans-serif" font-size="15"';
const WIDTH = 172;
const HEIGHT = 58;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly title: string;
  readonly note: string;
  readonly isMain?: true;
}

const boxes: readonly Box[] = [
  { x: 20, y: 20, title: 'metadata', note: 'tables, roles, rules' },
  { x: 20, y: 112, title: 'catalog', note: 'of PostgreSQL' },
  { x: 264, y: 66, title: 'generated code', note: 'TypeScript and SQL', isMain: true },
  { x: 508, y: 20, title: 'the API', note: 'GraphQL, REST, live' },
  { x: 508, y: 112, title: 'your review', note: 'git diff, audit, test' },
];

/** From the right side of a box to the left side of another, by their places in `boxes`. */
const arrows: readonly (readonly [number, number])[] = [
  [0, 2],
  [1, 2],
  [2, 3],
  [2, 4],
];

export function picture(): string {
  const lines = arrows.map(([from, to]) => {
    const [a, b] = [boxes[from]!, boxes[to]!];
    const [x1, y1, x2, y2] = [a.x + WIDTH, a.y + HEIGHT / 2, b.x - 4, b.y + HEIGHT / 2];
    const middle = (x1 + x2) / 2;
    return `  <path d="M${x1} ${y1} C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}" fill="none" stroke="#6b7280" stroke-width="1.5" marker-end="url(#tip)"/>`;
  });
  const shapes = boxes.map(({ x, y, title, note, isMain }) => {
    const [fill, text] = isMain ? ['#1d4ed8', '#ffffff'] : ['#f3f4f6', '#111827'];
    const center = x + WIDTH / 2;
    return `  <rect x="${x}" y="${y}" width="${WIDTH}" height="${HEIGHT}" rx="8" fill="${fill}" stroke="#9ca3af"/>
  <text x="${center}" y="${y + 25}" text-anchor="middle" ${FONT} font-weight="600" fill="${text}">${title}</text>
  <text x="${center}" y="${y + 44}" text-anchor="middle" ${FONT.replace('15', '12')} fill="${text}">${note}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 190" width="700" height="190" role="img">
  <title>metadata and catalog become generated code, which is served as the API and reviewed</title>
  <rect width="700" height="190" rx="10" fill="#ffffff"/>
  <marker id="tip" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#6b7280"/></marker>
${[...lines, ...shapes].join('\n')}
</svg>
`;
}
