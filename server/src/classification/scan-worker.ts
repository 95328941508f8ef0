import type { Detector } from './detector.ts'
import { DETECTORS } from './detectors.ts'
import { type Scan, scan } from './scan.ts'

export interface ScanTask {
  readonly texts: readonly string[]
  readonly budgetMs: number
}

/** A scan with the time of each detector in milliseconds, by name. */
export type TimedScan = Scan & { readonly times: Readonly<Record<string, number>> }

/** Runs in the thread of scan-in-thread.ts. */
export function scanAll({ texts, budgetMs }: ScanTask): TimedScan {
  const times: Record<string, number> = {}
  const reportTime =
    (name: string): Detector['reportTime'] =>
    (ms) => {
      times[name] = ms
    }
  const detectors = DETECTORS.map((detector) =>
    Object.assign(Object.create(detector) as Detector, { reportTime: reportTime(detector.name) }),
  )
  return { ...scan(texts, { detectors, budgetMs }), times }
}
