import { elapsed } from '../../platform/lib/clock.ts'
import { type PlainText, type Readings, readings } from '../../platform/lib/plain-text.ts'
import {
  countFindings,
  FINDING_TYPES,
  type Finding,
  type FindingCounts,
  type FindingGroup,
  type FindingType,
  groupOf,
} from '../../shared/finding.ts'
import type { Detector } from './detector.ts'
import { encodedReading } from './encoded-readings.ts'
import { resolveOverlaps } from './overlaps.ts'

export interface Scan {
  /** One list for each text, sorted by start. Findings of one layer (overlaps.ts) do not overlap. */
  readonly findings: readonly (readonly Finding[])[]
  readonly counts: FindingCounts
  /** Names of detectors that threw, exceeded the time budget or did not run because of it. The caller must then deny. */
  readonly failures: readonly string[]
}

const NOTHING_FOUND = countFindings([])

/** Like `countFindings`, but for several long lists, and without work if all are empty. */
export function count(lists: readonly (readonly Finding[])[]): FindingCounts {
  if (lists.every((list) => list.length === 0)) return NOTHING_FOUND
  const counts: Record<FindingType | FindingGroup, number> = { ...NOTHING_FOUND }
  for (const list of lists) for (const { type, continues } of list) if (!continues) counts[type] += 1
  for (const type of FINDING_TYPES) counts[groupOf(type)] += counts[type]
  return counts
}

/** Runs a detector on all texts and adds its findings, with spans of the original texts. */
function runDetector(detector: Detector, texts: readonly string[], read: readonly ScannedReadings[], found: Finding[][]): void {
  for (let i = 0; i < texts.length; i++) {
    const text = texts[i] ?? ''
    let list = found[i] ?? []
    const { plain, others, encoded } = read[i] ?? NO_READINGS
    if (detector.raw || plain.text === text) {
      const findings = detector.detect(text)
      // Copying a very long list takes as long as the detector.
      if (list.length === 0 && findings.length > 0) list = found[i] = findings
      else for (const finding of findings) list.push(finding)
    } else lookInto(plain, detector, list)
    if (others.length > 0 && !detector.raw) for (const other of others) lookInto(other, detector, list)
    if (encoded && detector.byForm) lookInto(encoded, detector, list)
  }
}

function lookInto(reading: PlainText, detector: Detector, list: Finding[]): void {
  for (const { type, start, end } of detector.detect(reading.text)) list.push({ type, ...reading.original(start, end) })
}

/** All forms of a text, with the keys and numbers that it holds in an encoding. */
type ScannedReadings = Readings & { readonly encoded: PlainText | undefined }

function readingsOf(text: string): ScannedReadings {
  const { plain, others } = readings(text)
  const encoded = encodedReading(plain.text)
  const original =
    encoded &&
    ((start: number, end: number) => {
      const run = encoded.original(start, end)
      return plain.original(run.start, run.end)
    })
  return { plain, others, encoded: encoded && original && { text: encoded.text, original } }
}

const NO_READINGS = readingsOf('')

/**
 * Runs all detectors on all texts. `budgetMs` of this thread's CPU time is for the whole scan: a process that was suspended for a while
 * does not refuse the request. A detector cannot be interrupted, so an exceeded budget is noticed when the detector ends, and the following
 * detectors do not run. Failed detectors are listed in `failures`.
 */
export function scan(
  texts: readonly string[],
  options: { readonly detectors: readonly Detector[]; readonly budgetMs: number },
): Scan {
  const start = elapsed()
  const cpuBefore = readCpuUsage(start, options.budgetMs)
  let startedAt = start
  const read = texts.map(readingsOf)
  const found: Finding[][] = texts.map(() => [])
  const failures: string[] = []
  let spent = false
  for (const detector of options.detectors) {
    if (!spent) {
      try {
        runDetector(detector, texts, read, found)
      } catch (error) {
        failures.push(detector.name)
        detector.reportFailure?.('threw', error)
        continue
      }
      const endedAt = elapsed()
      detector.reportTime?.(endedAt - startedAt)
      startedAt = endedAt
      spent = endedAt - start > options.budgetMs && cpuMsSince(cpuBefore) > options.budgetMs
      if (spent) detector.reportFailure?.('overran')
    }
    if (spent) failures.push(detector.name)
  }
  const findings = found.map(resolveOverlaps)
  return { findings, counts: count(findings), failures }
}

let last: { readonly atMs: number; readonly usage: NodeJS.CpuUsage } | undefined

/**
 * The CPU usage of this thread now or at most a twentieth of the budget ago: reading it is a system call. So a scan seems to take a twentieth of
 * its budget more at most.
 */
function readCpuUsage(nowMs: number, budgetMs: number): NodeJS.CpuUsage {
  if (last === undefined || nowMs - last.atMs > budgetMs / 20) last = { atMs: nowMs, usage: process.threadCpuUsage() }
  return last.usage
}

function cpuMsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(start)
  return (user + system) / 1_000
}
