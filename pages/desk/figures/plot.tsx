import { numberText } from '../../parts/texts.js'
import { deskText } from '../desk-texts.js'

/** A value of a plot; null for a month without a value. */
interface Point {
  name: string
  value: number | null
  /** A part of the value, such as the late orders. */
  part?: number | undefined
}

interface PlotProps {
  title: string
  points: readonly Point[]
  isLine?: boolean
}

/** The frame of the marks, in units of the drawing. */
const [LEFT, RIGHT, TOP, BOTTOM] = [34, 316, 8, 104]

/** Bars, or a line, over months. A table next to it has the same values. */
export function Plot({ title, points, isLine = false }: PlotProps) {
  const top = roundUp(Math.max(...points.map(({ value }) => value ?? 0)))
  const step = (RIGHT - LEFT) / points.length
  const xOf = (at: number) => LEFT + (at + 0.5) * step
  const yOf = (value: number) => BOTTOM - (value / top) * (BOTTOM - TOP)
  const bar = (at: number, value: number, kind: string) => (
    <rect
      class={kind}
      x={xOf(at) - step * 0.35}
      y={yOf(value)}
      width={step * 0.7}
      height={BOTTOM - yOf(value)}
    />
  )
  const marks = points.map(({ name, value, part = 0 }, at) =>
    value === null ? null : (
      <g key={name}>
        <title>{`${name}: ${numberText(value)}`}</title>
        {isLine ? <circle cx={xOf(at)} cy={yOf(value)} r={3} /> : bar(at, value, 'all')}
        {part > 0 && bar(at, part, 'part')}
      </g>
    )
  )
  // The line begins again after a month without a value.
  const path = points
    .map(({ value }, at) => {
      const isNext = (points[at - 1]?.value ?? null) !== null
      return value === null ? '' : `${isNext ? 'L' : 'M'}${xOf(at)} ${yOf(value)}`
    })
    .join('')
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <svg viewBox="0 0 320 124" role="img" aria-label={`${title}. ${deskText('seeTable')}`}>
        {[0, top / 2, top].map((level) => (
          <g key={level}>
            <line x1={LEFT} x2={RIGHT} y1={yOf(level)} y2={yOf(level)} />
            <text x={LEFT - 5} y={yOf(level) + 3} text-anchor="end">
              {numberText(level)}
            </text>
          </g>
        ))}
        {isLine && <path d={path} />}
        {marks}
        {[...new Set([0, Math.floor((points.length - 1) / 2), points.length - 1])].map((at) => (
          <text key={at} x={xOf(at)} y={BOTTOM + 14} text-anchor="middle">
            {points[at]?.name}
          </text>
        ))}
      </svg>
    </figure>
  )
}

/** The next number with the first digits 2, 4 or 10, whose half is also short. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)))
  return ([1, 2, 4, 6, 8, 10].find((each) => each * power >= value) ?? 10) * power
}
