import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { TrafficPoint } from './traffic-bars.tsx'

/** In pixels. */
const HEIGHT = 200

/** The library that draws is larger than any page: it comes with the first chart, not with the first page. */
const TrafficBars = lazy(async () => ({ default: (await import('./traffic-bars.tsx')).TrafficBars }))

/** Requests over time, by what was decided on them. */
export function TrafficChart({ series }: { readonly series: readonly TrafficPoint[] }) {
  return (
    <Suspense fallback={<Skeleton h={HEIGHT} />}>
      <TrafficBars series={series} height={HEIGHT} />
    </Suspense>
  )
}
