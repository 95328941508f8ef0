import { FINDING_TYPES, type Finding, type FindingType } from '../../shared/finding.ts'
import { DETECTORS, withFaultReports } from './detectors.ts'
import { type Scan, scan } from './scan.ts'

export type ScanTask = { readonly texts: readonly string[]; readonly budgetMs: number }

export interface TimedScan extends Omit<Scan, 'findings'> {
  readonly findings: readonly Uint32Array[]
  readonly times: Readonly<Record<string, number>>
}

/** Runs in the thread of scan-in-thread.ts, which reports the failures. */
export function scanAll({ texts, budgetMs }: ScanTask): TimedScan {
  const times: Record<string, number> = {}
  const detectors = withFaultReports(
    DETECTORS,
    () => {},
    (name, ms) => {
      times[name] = ms
    },
  )
  const { findings, ...result } = scan(texts, { detectors, budgetMs })
  return { ...result, findings: findings.map(packFindings), times }
}

const NUMBERS = 3

/** Findings as they are sent from the thread: half a million objects would hold the event loop of the receiver for a quarter of a second. */
export function packFindings(findings: readonly Finding[]): Uint32Array {
  const packed = new Uint32Array(findings.length * NUMBERS)
  for (const [at, { type, start, end }] of findings.entries()) packed.set([FINDING_TYPES.indexOf(type), start, end], at * NUMBERS)
  return packed
}

export function unpackFindings(packed: Uint32Array): readonly Finding[] {
  const findings: Finding[] = []
  for (let at = 0; at < packed.length; at += NUMBERS) {
    const type = FINDING_TYPES[packed[at] ?? 0] as FindingType
    findings.push({ type, start: packed[at + 1] ?? 0, end: packed[at + 2] ?? 0 })
  }
  return findings
}
