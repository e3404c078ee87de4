/** Bars over time, drawn as SVG. The colours are those of the text, so they fit the theme. */

export type Bar = { readonly at: string; readonly value: number; readonly text: string }

const WIDTH = 560
const HEIGHT = 120
const BASE = 100
const LEFT = 44

/** `summary` is read aloud in place of the picture. */
export function BarChart({
  bars,
  summary,
  format,
}: {
  readonly bars: readonly Bar[]
  readonly summary: string
  readonly format: (value: number) => string
}) {
  const top = niceTop(Math.max(0, ...bars.map(({ value }) => value)))
  const step = (WIDTH - LEFT) / Math.max(1, bars.length)
  const yOf = (value: number) => BASE - (value / top) * (BASE - 12)
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={summary}>
      {[top, top / 2, 0].map((mark) => (
        <g key={mark}>
          <line class="grid" x1={LEFT} x2={WIDTH} y1={yOf(mark)} y2={yOf(mark)} />
          <text class="mark" x={LEFT - 6} y={yOf(mark) + 3.5} text-anchor="end">
            {format(mark)}
          </text>
        </g>
      ))}
      {bars.map(({ at, value, text }, i) => (
        <g key={at}>
          <rect class="bar" x={LEFT + i * step + 1} y={yOf(value)} width={Math.max(1, step - 2)} height={BASE - yOf(value)}>
            <title>{text}</title>
          </rect>
          {isLabelled(at) && i < bars.length - 4 && (
            <text class="mark" x={LEFT + i * step + 1} y={HEIGHT - 5}>
              {at.slice(5, 10).replace('-', '/')}
            </text>
          )}
        </g>
      ))}
    </svg>
  )
}

const DAY_MS = 86_400_000

/** Every second day has a label: more would overlap. */
function isLabelled(at: string): boolean {
  const ms = Date.parse(at)
  return ms % (2 * DAY_MS) === 0
}

/** The next round figure whose half is a whole number too. */
function niceTop(max: number): number {
  if (max <= 2) return 2
  const power = 10 ** Math.floor(Math.log10(max))
  const factors = power === 1 ? [2, 4, 6, 8, 10] : [1, 2, 3, 4, 5, 6, 8, 10]
  return power * (factors.find((factor) => factor * power >= max) ?? 10)
}
