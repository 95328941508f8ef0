import type { ReportFault } from '../../shared/fault.ts'
import type { Detector } from './detector.ts'

/** Copies of the detectors that additionally report their failures and times. `reportTime`: with the detector's name and milliseconds. */
export const withFaultReports = (
  detectors: readonly Detector[],
  report: ReportFault,
  reportTime?: (name: string, ms: number) => void,
): readonly Detector[] =>
  detectors.map((detector) =>
    Object.assign(Object.create(detector) as Detector, {
      original: detector,
      reportFailure: (how: 'threw' | 'overran', error?: unknown) => report({ kind: 'detector', name: detector.name, how, error }),
      ...(reportTime && { reportTime: (ms: number) => reportTime(detector.name, ms) }),
    }),
  )
