import { elapsed } from '../../platform/lib/clock.ts'
import { type PlainText, type Readings, readings } from '../../platform/lib/plain-text.ts'
import { DetectorFailure } from '../../shared/fault.ts'
import {
  countFindings,
  FINDING_GROUPS,
  FINDING_TYPES,
  type Finding,
  type FindingCounts,
  type FindingGroup,
  type FindingType,
  groupOf,
} from '../../shared/finding.ts'
import type { Detector } from './detector.ts'
import { encodedReading } from './encoded-readings.ts'

export interface Scan {
  /** By text, sorted by start. Findings of one layer do not overlap. */
  readonly findings: readonly (readonly Finding[])[]
  readonly counts: FindingCounts
  /** Names of detectors that threw, exceeded the time budget or did not run because of it. The caller must then deny. */
  readonly failures: readonly string[]
}

export interface ScanOptions {
  readonly detectors: readonly Detector[]
  readonly budgetMs: number
  /** The user whose texts these are. Long texts that were scanned before in this scope are not scanned again; without it, every text is. */
  readonly scope?: string | undefined
}

function runDetector(detector: Detector, texts: readonly string[], read: readonly ScannedReadings[], found: Finding[][]): void {
  for (let i = 0; i < texts.length; i++) {
    const text = texts[i] ?? ''
    const list = found[i] ?? []
    const { plain, others, encoded } = read[i] ?? NO_READINGS
    if (detector.raw || plain.text === text) detector.find(text, list)
    else lookInto(plain, detector, list)
    if (others.length > 0 && !detector.raw) for (const other of others) lookInto(other, detector, list)
    if (encoded && detector.byForm) lookInto(encoded, detector, list)
  }
}

function lookInto(reading: PlainText, detector: Detector, list: Finding[]): void {
  const findings: Finding[] = []
  detector.find(reading.text, findings)
  for (const { type, start, end } of findings) list.push({ type, ...reading.original(start, end) })
}

type ScannedReadings = Readings & { readonly encoded: PlainText | undefined }

function readingsOf(text: string): ScannedReadings {
  const { plain, others } = readings(text)
  const encoded = encodedReading(plain.text)
  if (!encoded) return { plain, others, encoded }
  const original = (start: number, end: number) => {
    const run = encoded.original(start, end)
    return plain.original(run.start, run.end)
  }
  return { plain, others, encoded: { text: encoded.text, original } }
}

const NO_READINGS = readingsOf('')

/** `budgetMs`: CPU time of this thread, so that a suspended process refuses nothing. An exceeded budget is noticed when a detector ends. */
export function scan(texts: readonly string[], { detectors, budgetMs }: ScanOptions): Scan {
  const start = elapsed()
  const cpuBefore = readCpuUsage(start, budgetMs)
  let startedAt = start
  const read = texts.map(readingsOf)
  const found: Finding[][] = texts.map(() => [])
  const failures: string[] = []
  let spent = false
  for (const detector of detectors) {
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
      spent = endedAt - start > budgetMs && cpuMsSince(cpuBefore) > budgetMs
      if (spent) detector.reportFailure?.('overran')
    }
    if (spent) failures.push(detector.name)
  }
  const findings = found.map(resolveOverlaps)
  return { findings, counts: countFindings(findings), failures }
}

/** Of two overlapping findings, the type that is first in this list stays: secrets before personal data, specific types first. */
const PRECEDENCE: readonly FindingType[] = [
  'secret.private_key',
  'secret.connection_string',
  'secret.api_key',
  'secret.token',
  'pii.iban',
  'pii.card',
  'pii.email',
  'pii.national_id',
  'pii.ip',
  'pii.phone',
  'pii.person',
  'injection.exfiltration',
  'injection.override',
  'injection.role_play',
  'hidden.text',
]

/** Only findings of the same layer exclude each other: an injection or hidden text is reported in addition to its content. */
const LAYER: Readonly<Record<FindingGroup, number>> = { pii: 0, secret: 0, injection: 1, hidden: 2 }

const rank = Object.fromEntries(FINDING_TYPES.map((type) => [type, PRECEDENCE.indexOf(type)])) as Record<FindingType, number>
const layer = Object.fromEntries(FINDING_TYPES.map((type) => [type, LAYER[groupOf(type)]])) as Record<FindingType, number>
const LAYERS = FINDING_GROUPS.length

const inOrder = (a: Finding, b: Finding): number => a.start - b.start || b.end - a.end || rank[a.type] - rank[b.type]

/** Whether findings are sorted and do not overlap, as in most lists. */
function isResolved(findings: readonly Finding[]): boolean {
  let end = 0
  for (const finding of findings) {
    if (finding.start < end) return false
    end = finding.end
  }
  return true
}

/** Sorts findings and merges those that overlap in a layer: the type of higher precedence covers both spans, so transforms remove both. */
export function resolveOverlaps(findings: Finding[]): readonly Finding[] {
  if (isResolved(findings)) return findings
  findings.sort(inOrder)
  const kept: (Finding | undefined)[] = []
  const lastOfLayer = new Array<number>(LAYERS).fill(-1)
  for (const finding of findings) {
    const index = lastOfLayer[layer[finding.type]] ?? -1
    const previous = kept[index]
    if (previous && finding.start < previous.end) {
      const type = rank[finding.type] < rank[previous.type] ? finding.type : previous.type
      const end = Math.max(previous.end, finding.end)
      const continues = (previous.continues && previous.end === end) || (finding.continues && finding.end === end)
      kept[index] = { type, start: previous.start, end, ...(continues && { continues: true }) }
    } else lastOfLayer[layer[finding.type]] = kept.push(finding) - 1
  }
  return kept as Finding[]
}

/** Counts the findings of one text. Throws DetectorFailure, so that a text that was not scanned never counts as clean. */
export const createTextScanner =
  (options: ScanOptions): ((text: string) => FindingCounts) =>
  (text) => {
    const { counts, failures } = scan([text], options)
    if (failures.length > 0) throw new DetectorFailure(failures)
    return counts
  }

let last: { readonly atMs: number; readonly usage: NodeJS.CpuUsage } | undefined

/** Now or at most a twentieth of the budget ago: reading it is a system call. So a scan seems to take a twentieth of its budget more at most. */
function readCpuUsage(nowMs: number, budgetMs: number): NodeJS.CpuUsage {
  if (last === undefined || nowMs - last.atMs > budgetMs / 20) last = { atMs: nowMs, usage: process.threadCpuUsage() }
  return last.usage
}

function cpuMsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(start)
  return (user + system) / 1_000
}
