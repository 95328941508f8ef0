import type { Detector } from '../../../src/domains/classification/detector.ts'
import type { Finding } from '../../../src/shared/finding.ts'

/** The findings of one detector in a text. */
export function findIn(detector: Detector, text: string): readonly Finding[] {
  const findings: Finding[] = []
  detector.find(text, findings)
  return findings
}
