/** A picture of the tracked tables of a source and their relationships. A click leads to who may use a table. */
import { useDeferredValue, useMemo, useRef, useState } from 'react';
import { keyOf } from '../../../core/names.ts';
import type { DiagramTable } from '../../proposal-questions.ts';
import { useLoaded } from '../api.ts';
import { TextField } from '../inputs.tsx';
import { Closed, Shown } from '../parts.tsx';
import { address } from '../route.ts';
import { HEIGHT, type Layout, layoutOf, PADDING } from './layout.ts';
import { nameOf } from './operations.ts';

interface Props {
  readonly source: string;
  readonly tables: readonly DiagramTable[];
}

export function Picture({ source, tables }: Props) {
  const tracked = tables.filter(({ isTracked }) => isTracked);
  if (tracked.length === 0) return null;
  return (
    <Closed title="Picture of the tracked tables and their relationships">
      <Drawn source={source} tables={tracked} />
    </Closed>
  );
}

function Drawn({ source, tables }: Props) {
  const [text, setText] = useState('');
  const [scale, setScale] = useState(1);
  const wanted = useDeferredValue(text.trim().toLowerCase());
  const shown = withNeighbours(tables, wanted);
  const drawn = useLoaded(JSON.stringify(shown.map((each) => [keyOf(each), each.relationships])), () =>
    layoutOf(shown),
  );
  const frame = useRef<HTMLDivElement>(null);
  /** The whole width of the picture in its frame. */
  const fit = () => {
    const { current } = frame;
    if (current && drawn.value) setScale((current.clientWidth - 16) / drawn.value.width);
  };
  return (
    <>
      <div className="pair">
        <TextField
          label="Tables with this in their name, and their neighbours"
          value={text}
          change={setText}
        />
        <button type="button" aria-label="Smaller" onClick={() => setScale(scale / 1.25)}>
          −
        </button>
        <button type="button" aria-label="Larger" onClick={() => setScale(scale * 1.25)}>
          +
        </button>
        <button type="button" onClick={fit}>
          Whole
        </button>
      </div>
      <Shown of={drawn} waiting="Laying out the tables …">
        {(layout) => (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
          <div ref={frame} className="scroll picture" role="region" aria-label="Picture" tabIndex={0}>
            <Sheet source={source} layout={layout} scale={scale} />
          </div>
        )}
      </Shown>
    </>
  );
}

/** The lines of the table that is pointed at, or has the focus, stand out, and the tables that they lead to. */
function Sheet({
  source,
  layout: { width, height, boxes, lines },
  scale,
}: {
  readonly source: string;
  readonly layout: Layout;
  readonly scale: number;
}) {
  const [at, setAt] = useState<string>();
  const isLit = (line: Layout['lines'][number]) => line.from === at || line.to === at;
  const neighbours = useMemo(
    () => new Set(lines.flatMap(({ from, to }) => (from === at ? [to] : to === at ? [from] : []))),
    [lines, at],
  );
  return (
    <svg
      width={width * scale}
      height={height * scale}
      viewBox={`0 0 ${width} ${height}`}
      role="group"
      aria-label="Tables and relationships"
    >
      {lines
        .toSorted((left, right) => Number(isLit(left)) - Number(isLit(right)))
        .map((line) => (
          <path
            key={`${line.from} ${line.to}`}
            className={isLit(line) ? 'lit' : line.isFar ? 'far' : undefined}
            d={line.path}
          />
        ))}
      {boxes.map(({ id, name, x, y, width: wide }) => (
        <a
          key={id}
          href={address('access', source, id)}
          className={neighbours.has(id) ? 'lit' : undefined}
          onMouseEnter={() => setAt(id)}
          onMouseLeave={() => setAt(undefined)}
          onFocus={() => setAt(id)}
          onBlur={() => setAt(undefined)}
        >
          <rect x={x} y={y} width={wide} height={HEIGHT} rx={6} />
          <text x={x + PADDING} y={y + HEIGHT / 2 + 4}>
            {name}
          </text>
        </a>
      ))}
    </svg>
  );
}

/** Tables with the text in their name, and the tables that they lead to or that lead to them. */
function withNeighbours(tables: readonly DiagramTable[], text: string): readonly DiagramTable[] {
  if (text === '') return tables;
  const found = new Set(tables.filter((each) => nameOf(each).toLowerCase().includes(text)).map(keyOf));
  return tables.filter(
    (each) =>
      found.has(keyOf(each)) ||
      each.relationships.some(({ to }) => to !== undefined && found.has(to)) ||
      tables.some(
        (other) => found.has(keyOf(other)) && other.relationships.some(({ to }) => to === keyOf(each)),
      ),
  );
}
