import type { ReportFault } from '../domain/fault.ts'
import type { Detector } from './detector.ts'

/** Copies of the detectors that additionally report their failures. */
export const withFaultReports = (detectors: readonly Detector[], report: ReportFault): readonly Detector[] =>
  detectors.map((detector) =>
    Object.assign(Object.create(detector) as Detector, {
      original: detector,
      reportFailure: (how: 'threw' | 'overran', error?: unknown) => report({ kind: 'detector', name: detector.name, how, error }),
    }),
  )
