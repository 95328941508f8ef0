import { DetectorFailure } from '../../shared/fault.ts'
import type { FindingCounts } from '../../shared/finding.ts'
import type { Detector } from './detector.ts'
import { scan } from './scan.ts'

/** Counts the findings of one text. Throws DetectorFailure, so that a text that was not scanned never counts as clean. */
export const createTextScanner =
  (options: { readonly detectors: readonly Detector[]; readonly budgetMs: number }): ((text: string) => FindingCounts) =>
  (text) => {
    const { counts, failures } = scan([text], options)
    if (failures.length > 0) throw new DetectorFailure(failures)
    return counts
  }
