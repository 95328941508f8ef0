import { Box, Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { ChartSeries } from './chart-scale.ts'
import { ChartTable } from './chart-table.tsx'

interface TimeChartProps {
  /** Accessible name: "Requests by verdict". */
  readonly label: string
  /** Starts of the intervals, oldest first. */
  readonly times: readonly string[]
  /** From bottom to top. */
  readonly series: readonly ChartSeries[]
  readonly format: (value: number) => string
  /** In pixels. */
  readonly height?: number
}

/** In pixels. */
const HEIGHT = 200

/** Loaded after the figures of a page. */
const TimePlot = lazy(async () => ({ default: (await import('./time-plot.tsx')).TimePlot }))

/** Stacked bars over time, and the same values as a table for screen readers and keyboards. */
export function TimeChart({ height = HEIGHT, ...chart }: TimeChartProps) {
  return (
    <Box>
      <Suspense fallback={<Skeleton h={height} />}>
        <TimePlot {...chart} height={height} />
      </Suspense>
      <ChartTable {...chart} />
    </Box>
  )
}
