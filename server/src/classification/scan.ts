import {
  countFindings,
  FINDING_TYPES,
  type Finding,
  type FindingCounts,
  type FindingGroup,
  type FindingType,
  groupOf,
} from '../domain/finding.ts'
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

/** `countFindings` of the domain, for lists as long as a hostile text can make them, and for free when there is nothing. */
function count(lists: readonly (readonly Finding[])[]): FindingCounts {
  if (lists.every((list) => list.length === 0)) return NOTHING
  const counts: Record<FindingType | FindingGroup, number> = { ...NOTHING }
  for (const list of lists) for (const { type } of list) counts[type] += 1
  for (const type of FINDING_TYPES) counts[groupOf(type)] += counts[type]
  return counts
}

/** Runs one detector over all texts and adds what it finds, in terms of the original texts. */
function look(detector: Detector, texts: readonly string[], plains: readonly PlainText[], found: readonly Finding[][]): void {
  for (let i = 0; i < texts.length; i++) {
    const text = texts[i] ?? ''
    const view = plains[i]
    const list = found[i]
    if (!view || !list) continue
    const same = detector.raw || view.text === text
    for (const finding of detector.detect(same ? text : view.text)) {
      list.push(same ? finding : { type: finding.type, ...view.original(finding.start, finding.end) })
    }
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
  return { findings, counts: count(findings), failures }
}
