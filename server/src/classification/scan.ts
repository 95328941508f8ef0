import { countFindings, type Finding, type FindingCounts } from '../domain/finding.ts'
import { elapsed } from '../lib/clock.ts'
import type { Detector } from './detector.ts'
import { settle } from './overlaps.ts'
import { type PlainText, plain } from './text/plain.ts'

export interface Scan {
  /** One list per text, sorted by start; within {pii, secret}, within injection and within hidden, spans do not overlap. */
  readonly findings: readonly (readonly Finding[])[]
  readonly counts: FindingCounts
  /** Names of detectors that threw, overran the budget or, the budget spent, never ran. Whoever reads the findings must fail closed on any. */
  readonly failures: readonly string[]
}

const NOTHING = countFindings([])

/** Runs one detector over all texts and adds what it finds, in terms of the original texts. */
function look(detector: Detector, texts: readonly string[], plains: readonly PlainText[], found: Finding[][]): void {
  for (const [i, view] of plains.entries()) {
    const text = texts[i] ?? ''
    const findings = detector.detect(detector.raw ? text : view.text)
    const list = found[i]
    if (!list) continue
    const same = detector.raw || view.text === text
    for (const finding of findings)
      list.push(same ? finding : { type: finding.type, ...view.original(finding.start, finding.end) })
  }
}

/**
 * Runs every detector over every text. A detector that fails is named, never passed over in silence. `budgetMs` is for the whole scan:
 * detectors are synchronous, so one that overruns is noticed when it ends, and those after it do not run.
 */
export function scan(
  texts: readonly string[],
  options: { readonly detectors: readonly Detector[]; readonly budgetMs: number },
): Scan {
  const start = elapsed()
  const plains = texts.map(plain)
  const found: Finding[][] = texts.map(() => [])
  const failures: string[] = []
  let spent = false
  for (const detector of options.detectors) {
    if (!spent) {
      try {
        look(detector, texts, plains, found)
      } catch {
        failures.push(detector.name)
        continue
      }
      spent = elapsed() - start > options.budgetMs
    }
    if (spent) failures.push(detector.name)
  }
  const findings = found.map(settle)
  const any = findings.some((list) => list.length > 0)
  return { findings, counts: any ? countFindings(findings.flat()) : NOTHING, failures }
}
