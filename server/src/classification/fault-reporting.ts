import type { ReportFault } from '../domain/fault.ts'
import type { Detector } from './detector.ts'

/** The detectors with a report of their failures. */
export const withFaultReports = (detectors: readonly Detector[], report: ReportFault): readonly Detector[] =>
  detectors.map((detector) =>
    Object.assign(Object.create(detector) as Detector, {
      watches: detector,
      failed: (how: 'threw' | 'overran', error?: unknown) => report({ kind: 'detector', name: detector.name, how, error }),
    }),
  )
