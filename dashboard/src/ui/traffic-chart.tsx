import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { TrafficPoint } from './traffic-bars.tsx'

/** In pixels. */
const HEIGHT = 200

/** Loaded with the first chart, because the chart library is larger than any page. */
const TrafficBars = lazy(async () => ({ default: (await import('./traffic-bars.tsx')).TrafficBars }))

/** Requests over time, by verdict. */
export function TrafficChart({ series }: { readonly series: readonly TrafficPoint[] }) {
  return (
    <Suspense fallback={<Skeleton h={HEIGHT} />}>
      <TrafficBars series={series} height={HEIGHT} />
    </Suspense>
  )
}
