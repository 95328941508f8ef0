import type { Detector } from './detector.ts'
import { DETECTORS } from './detectors.ts'
import { packFindings } from './packed-findings.ts'
import { type Scan, scan } from './scan.ts'

export interface ScanTask {
  readonly texts: readonly string[]
  readonly budgetMs: number
}

/** A scan with the time of each detector in milliseconds, by name. */
export interface TimedScan extends Omit<Scan, 'findings'> {
  /** Packed (packed-findings.ts). */
  readonly findings: readonly Uint32Array[]
  readonly times: Readonly<Record<string, number>>
}

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
  const { findings, ...result } = scan(texts, { detectors, budgetMs })
  return { ...result, findings: findings.map(packFindings), times }
}
