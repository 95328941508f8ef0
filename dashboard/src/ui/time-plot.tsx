import 'uplot/dist/uPlot.min.css'
import { ColorSwatch, Group, Text, useComputedColorScheme, useMantineTheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import uPlot from 'uplot'
import { type ChartSeries, intervalLabel, secondsBetween, TIME_STEPS, tickLabels, valueTicks } from './chart-scale.ts'
import { Link } from './link.tsx'

interface TimePlotProps {
  readonly times: readonly string[]
  readonly series: readonly ChartSeries[]
  readonly format: (value: number) => string
  readonly height: number
}

/** Shades with enough contrast on the background. */
const SHADE = { light: 6, dark: 5 } as const
const TICK_SPACE = 64
/** Of the value axis, in pixels. */
const TICK_HEIGHT = 36
const CHARACTER_WIDTH = 7
const AXIS_GAP = 12

/**
 * Stacked bars with a legend that shows the values under the pointer. A click on a part of a bar opens the link of its series. Hidden from
 * screen readers, which have the table, except for the links of the legend.
 */
export function TimePlot({ times, series, format, height }: TimePlotProps) {
  const { ref, width } = useElementSize()
  const target = useRef<HTMLDivElement>(null)
  const [hovered, setHovered] = useState<number | null>(null)
  const scheme = useComputedColorScheme('light')
  const theme = useMantineTheme()
  const navigate = useNavigate()
  const colors = useMemo(
    () => series.map(({ color }) => theme.colors[color]?.[SHADE[scheme]] ?? theme.colors.gray[SHADE[scheme]]),
    [series, theme, scheme],
  )
  useEffect(() => {
    if (!target.current || width === 0) return undefined
    const text = scheme === 'light' ? theme.colors.gray[7] : theme.colors.dark[1]
    const grid = scheme === 'light' ? theme.colors.gray[2] : theme.colors.dark[5]
    const isCounted = series.every(({ values }) => values.every(Number.isInteger))
    const options = optionsOf({
      times,
      isCounted,
      colors,
      format,
      width,
      height,
      text,
      grid,
      fontFamily: theme.fontFamily,
      onHover: setHovered,
    })
    const plot = new uPlot(options, stacked(times, series), target.current)
    plot.over.addEventListener('click', () => {
      const link = seriesAt(plot, series)?.link
      if (link) void navigate({ to: link.to, search: link.search as never })
    })
    return () => plot.destroy()
  }, [times, series, colors, format, width, height, scheme, theme, navigate])
  const seconds = secondsBetween(times)
  const at = hovered === null ? undefined : times[hovered]
  return (
    <div ref={ref}>
      <Group gap="0 12px" mih={24} fz="xs" aria-hidden={series.every(({ link }) => link === undefined)}>
        {series.map(({ name, values, link }, index) => (
          <Group key={name} gap={6} wrap="nowrap" mih={24}>
            <ColorSwatch size={10} radius={2} withShadow={false} color={colors[index] ?? ''} />
            {link ? (
              <Link {...link} inherit>
                {name}
              </Link>
            ) : (
              <Text inherit>{name}</Text>
            )}
            {hovered !== null && (
              <Text inherit fw={600}>
                {format(values[hovered] ?? 0)}
              </Text>
            )}
          </Group>
        ))}
        {at !== undefined && (
          <Text inherit c="dimmed">
            {intervalLabel(at, seconds)}
          </Text>
        )}
      </Group>
      <div ref={target} style={{ height }} aria-hidden />
    </div>
  )
}

/** uPlot draws series over each other: the first is the sum of all, the next the sum without the last kind … */
function stacked(times: readonly string[], series: readonly ChartSeries[]): uPlot.AlignedData {
  const sums = series.map((_, count) =>
    times.map((_, at) => series.slice(0, count + 1).reduce((sum, { values }) => sum + (values[at] ?? 0), 0)),
  )
  return [times.map((at) => Date.parse(at) / 1_000), ...sums.toReversed()]
}

/** The series whose part of a bar is under the pointer. */
function seriesAt({ cursor: { idx, top = 0 }, posToVal }: uPlot, series: readonly ChartSeries[]): ChartSeries | undefined {
  let left = posToVal(top, 'y')
  return series.find(({ values }) => {
    left -= values[idx ?? -1] ?? 0
    return left <= 0
  })
}

interface PlotLook {
  readonly times: readonly string[]
  /** The values are whole numbers. */
  readonly isCounted: boolean
  readonly colors: readonly (string | undefined)[]
  readonly format: (value: number) => string
  readonly width: number
  readonly height: number
  readonly text: string
  readonly grid: string
  readonly fontFamily: string
  readonly onHover: (index: number | null) => void
}

function optionsOf({
  times,
  isCounted,
  colors,
  format,
  width,
  height,
  text,
  grid,
  fontFamily,
  onHover,
}: PlotLook): uPlot.Options {
  const seconds = secondsBetween(times)
  const first = Date.parse(times[0] ?? '') / 1_000
  const last = Date.parse(times.at(-1) ?? '') / 1_000
  const ticksTo = (max: number) => valueTicks(max, Math.floor(height / TICK_HEIGHT) - 1, isCounted)
  const bars = uPlot.paths.bars?.({ size: [0.8, 48], align: 1 })
  const axis = { stroke: text, ticks: { show: false }, font: `12px ${fontFamily}` }
  return {
    width,
    height,
    // Half of the last label is right of the bars.
    padding: [8, 20, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: { x: { time: true, range: [first, last + seconds] }, y: { range: (_, __, max) => [0, ticksTo(max).at(-1) ?? 1] } },
    axes: [
      {
        ...axis,
        // Below the zero of the value axis.
        gap: 8,
        size: 30,
        grid: { show: false },
        space: TICK_SPACE,
        incrs: TIME_STEPS.filter((step) => step >= Math.min(seconds, 86_400)),
        values: (_, splits, __, ___, step) => tickLabels(splits, step),
        ...(seconds >= 86_400 && {
          splits: (_: uPlot, __: number, min: number, max: number, step: number) => utcDays(min, max, step),
        }),
      },
      {
        ...axis,
        size: (_, labels) => Math.max(0, ...(labels ?? []).map(({ length }) => length)) * CHARACTER_WIDTH + AXIS_GAP,
        grid: { stroke: grid, width: 1 },
        splits: (_, __, ___, max) => ticksTo(max),
        values: (_, splits) => splits.map((value) => (value === 0 ? '0' : format(value))),
      },
    ],
    series: [
      {},
      ...colors
        .toReversed()
        .map((color) => ({ ...(color && { fill: color }), width: 0, points: { show: false }, ...(bars && { paths: bars }) })),
    ],
    hooks: { setCursor: [(plot) => onHover(plot.cursor.idx ?? null)] },
  }
}

/** Ticks at midnight UTC, where intervals of days begin. */
function utcDays(min: number, max: number, step: number): number[] {
  const ticks: number[] = []
  for (let at = Math.ceil(min / 86_400) * 86_400; at <= max; at += Math.max(step, 86_400)) ticks.push(at)
  return ticks
}
