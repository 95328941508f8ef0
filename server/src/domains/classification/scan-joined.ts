import { andThen, type MaybePromise } from '../../platform/lib/maybe-promise.ts'
import { countFindings, type Finding, type FindingType, groupOf } from '../../shared/finding.ts'
import { resolveOverlaps, type Scan, type ScanOptions, scan } from './scan.ts'
import { scanNew } from './scan-new.ts'
import { isDigit } from './text/search.ts'

export interface JoinedScan extends Scan {
  /** The joined texts, one per line; empty: none. */
  readonly joined: string
}

/** Also scans the joined texts of each list of indices, because a word or key can be split. A finding there is one of every text it covers. */
export function scanJoined(
  texts: readonly string[],
  joins: readonly (readonly number[])[],
  options: ScanOptions,
): MaybePromise<JoinedScan> {
  const joined = joins.map((indices) => indices.map((index) => texts[index] ?? '').join(''))
  return andThen(scanNew(joins.length === 0 ? texts : [...texts, ...joined], options), (scan) => {
    if (joins.length === 0) return { ...scan, joined: '' }
    const lists = scan.findings.slice(0, texts.length).map((list) => [...list])
    for (const [at, indices] of joins.entries()) {
      // Hidden text is found in the separate texts already.
      const visible = scan.findings[texts.length + at]?.filter(({ type }) => groupOf(type) !== 'hidden') ?? []
      distributeFindings(visible, indices, texts, lists)
    }
    const findings = lists.map(resolveOverlaps)
    return { findings, counts: countFindings(findings), failures: scan.failures, joined: joined.join('\n') }
  })
}

/** Adds to each text its part of the findings in the joined text. Texts and findings are in order, so this takes linear time. */
function distributeFindings(
  findings: readonly Finding[],
  indices: readonly number[],
  texts: readonly string[],
  lists: readonly Finding[][],
): void {
  const starts: number[] = []
  let length = 0
  for (const index of indices) {
    starts.push(length)
    length += (texts[index] ?? '').length
  }
  let first = 0
  for (const { type, start, end } of findings) {
    while (first + 1 < starts.length && (starts[first + 1] ?? 0) <= start) first++
    for (let at = first; at < indices.length && (starts[at] ?? 0) < end; at++) {
      const index = indices[at] ?? 0
      const from = starts[at] ?? 0
      const to = from + (texts[index] ?? '').length
      const piece = { type, start: Math.max(start, from) - from, end: Math.min(end, to) - from }
      if (piece.start < piece.end) lists[index]?.push(end > to ? { ...piece, continues: true } : piece)
    }
  }
}

interface Piece {
  readonly index: number
  readonly start: number
  readonly end: number
  readonly joined: string
}

const END_CHARACTERS = 512
const SHORTEST = 14

const isVisible = (code: number): boolean => code > 32
const isSeparator = (code: number): boolean => code === 32 || code === 45 || code === 46 || code === 160

/** For keys and for numbers: characters inside a piece, characters at its ends, and its scanned form (numbers without separators). */
const KINDS = [
  { inside: isVisible, outer: isVisible, joined: (text: string) => text },
  {
    inside: (code: number) => isDigit(code) || isSeparator(code),
    outer: isDigit,
    joined: (text: string) => text.replace(/\D/g, ''),
  },
]

/** Adds keys and numbers that are split over successive texts (`runs`: their indices). Only the starts and ends of texts are read. */
export function scanSplit(
  texts: readonly string[],
  runs: readonly (readonly number[])[],
  found: JoinedScan,
  options: ScanOptions,
): JoinedScan {
  const candidates = runs.flatMap((run) => KINDS.flatMap((kind) => piecesOf(texts, run, kind)))
  if (candidates.length === 0) return found
  const detectors = options.detectors.filter(({ byForm }) => byForm)
  // One text with a line for each candidate: no key or number continues over a line break.
  const lines = candidates.map((pieces) => pieces.map(({ joined }) => joined).join(''))
  const together = scan([lines.join('\n')], { ...options, detectors })
  const lists = found.findings.map((list) => [...list])
  addSplitFindings(together.findings[0] ?? [], locatePieces(candidates), found.findings, lists)
  const findings = lists.map(resolveOverlaps)
  const failures = [...new Set([...found.failures, ...together.failures])]
  return { ...found, findings, counts: countFindings(findings), failures }
}

/** Groups of adjacent pieces. A text that is a single piece continues with the next text. */
function piecesOf(texts: readonly string[], run: readonly number[], kind: (typeof KINDS)[number]): Piece[][] {
  const groups: Piece[][] = []
  let open: Piece[] = []
  const close = () => {
    if (open.length > 1 && canHoldValue(open)) groups.push(open)
    open = []
  }
  for (const index of run) {
    const text = texts[index] ?? ''
    const [first, last] = trimmed(text, 0, text.length, isVisible)
    const add = (from: number, to: number) => {
      const [start, end] = trimmed(text, from, to, kind.outer)
      if (start < end) open.push({ index, start, end, joined: kind.joined(text.slice(start, end)) })
    }
    const head = headEnd(text, first, last, kind.inside)
    add(first, head)
    if (head === last) continue
    close()
    add(tailStart(text, first, last, kind.inside), last)
  }
  close()
  return groups
}

const lengthOf = (pieces: readonly Piece[] = []): number => pieces.reduce((sum, { joined }) => sum + joined.length, 0)

/** Whether pieces are worth a scan: keys and numbers contain digits, connection strings contain `:/`. */
const canHoldValue = (pieces: readonly Piece[]): boolean =>
  lengthOf(pieces) >= SHORTEST && pieces.some(({ joined }) => /\d|:\//.test(joined))

type Characters = (code: number) => boolean

function trimmed(text: string, start: number, end: number, outer: Characters): readonly [start: number, end: number] {
  while (start < end && !outer(text.charCodeAt(start))) start++
  while (end > start && !outer(text.charCodeAt(end - 1))) end--
  return [start, end]
}

function headEnd(text: string, first: number, last: number, inside: Characters): number {
  const bound = Math.min(last, first + END_CHARACTERS)
  let at = first
  while (at < bound && inside(text.charCodeAt(at))) at++
  return at
}

function tailStart(text: string, first: number, last: number, inside: Characters): number {
  const bound = Math.max(first, last - END_CHARACTERS)
  let at = last
  while (at > bound && inside(text.charCodeAt(at - 1))) at--
  return at
}

type LocatedPiece = Piece & { readonly from: number; readonly to: number }

function locatePieces(candidates: readonly (readonly Piece[])[]): readonly LocatedPiece[] {
  let at = 0
  return candidates.flatMap((pieces, line) => {
    if (line > 0) at++
    return pieces.map((piece) => {
      const from = at
      at += piece.joined.length
      return { ...piece, from, to: at }
    })
  })
}

/** A finding for each piece, unless only one is covered or a piece has a finding of this type. All are in order, so this is linear. */
function addSplitFindings(
  findings: readonly Finding[],
  pieces: readonly LocatedPiece[],
  separate: readonly (readonly Finding[])[],
  lists: readonly Finding[][],
): void {
  let first = 0
  for (const { type, start, end } of findings) {
    while (first < pieces.length && (pieces[first]?.to ?? 0) <= start) first++
    let after = first
    while (after < pieces.length && (pieces[after]?.from ?? 0) < end) after++
    const covered = pieces.slice(first, after)
    if (covered.length < 2 || covered.some((piece) => isKnown(type, piece, separate[piece.index] ?? []))) continue
    for (const [order, piece] of covered.entries()) {
      const continues = order < covered.length - 1 && { continues: true as const }
      lists[piece.index]?.push({ type, start: piece.start, end: piece.end, ...continues })
    }
  }
}

const isKnown = (type: FindingType, { start, end }: Piece, findings: readonly Finding[]): boolean =>
  findings.some((known) => known.type === type && known.start < end && known.end > start)
