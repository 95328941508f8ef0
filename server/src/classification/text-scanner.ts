import type { FindingCounts } from '../domain/finding.ts'
import type { Detector } from './detector.ts'
import { scan } from './scan.ts'

/** A text could not be looked through, so nobody knows what is in it. */
export class DetectorFailure extends Error {
  constructor(detectors: readonly string[]) {
    super(`The text could not be looked through: ${detectors.join(', ')} failed.`)
    this.name = 'DetectorFailure'
  }
}

/** What is in one text at a time. Throws a DetectorFailure: what was not looked through must not pass for clean. */
export const textScanner =
  (options: { readonly detectors: readonly Detector[]; readonly budgetMs: number }): ((text: string) => FindingCounts) =>
  (text) => {
    const { counts, failures } = scan([text], options)
    if (failures.length > 0) throw new DetectorFailure(failures)
    return counts
  }
