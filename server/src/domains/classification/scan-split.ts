import type { Finding, FindingType } from '../../shared/finding.ts'
import { resolveOverlaps } from './overlaps.ts'
import { count, type Scan, scan } from './scan.ts'
import type { JoinedScan } from './scan-joined.ts'

/** The start or end of a text, which can be a part of a key or number. `joined`: in the form that is scanned. */
interface Piece {
  readonly index: number
  readonly start: number
  readonly end: number
  readonly joined: string
}

/** Maximum length of a piece, and minimum length of a key or number. */
const END_CHARACTERS = 512
const SHORTEST = 14

const isVisible = (code: number): boolean => code > 32
const isDigit = (code: number): boolean => code >= 48 && code <= 57
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

/**
 * Adds the keys, card and account numbers that are split over successive texts. `runs`: lists of indices of successive texts. Only the
 * starts and ends of texts are read. Each piece of a split value becomes a finding, unless a text already has a finding there.
 */
export function scanSplit(
  texts: readonly string[],
  runs: readonly (readonly number[])[],
  found: JoinedScan,
  options: Parameters<typeof scan>[1],
): JoinedScan {
  const candidates = runs.flatMap((run) => KINDS.flatMap((kind) => piecesOf(texts, run, kind)))
  if (candidates.length === 0) return found
  const detectors = options.detectors.filter(({ byForm }) => byForm)
  // One text with a line for each candidate: no key or number continues over a line break.
  const lines = candidates.map((pieces) => pieces.map(({ joined }) => joined).join(''))
  const together: Scan = scan([lines.join('\n')], { ...options, detectors })
  const lists = found.findings.map((list) => [...list])
  addSplitFindings(together.findings[0] ?? [], locatePieces(candidates), found.findings, lists)
  const findings = lists.map(resolveOverlaps)
  return { ...found, findings, counts: count(findings), failures: [...new Set([...found.failures, ...together.failures])] }
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

/** A stretch of the text without the characters at both ends that are not `outer`. */
function trimmed(
  text: string,
  from: number,
  to: number,
  outer: (code: number) => boolean,
): readonly [start: number, end: number] {
  let [start, end] = [from, to]
  while (start < end && !outer(text.charCodeAt(start))) start++
  while (end > start && !outer(text.charCodeAt(end - 1))) end--
  return [start, end]
}

function headEnd(text: string, first: number, last: number, inside: (code: number) => boolean): number {
  const bound = Math.min(last, first + END_CHARACTERS)
  let at = first
  while (at < bound && inside(text.charCodeAt(at))) at++
  return at
}

function tailStart(text: string, first: number, last: number, inside: (code: number) => boolean): number {
  const bound = Math.max(first, last - END_CHARACTERS)
  let at = last
  while (at > bound && inside(text.charCodeAt(at - 1))) at--
  return at
}

interface LocatedPiece extends Piece {
  /** Start and end in the text of all candidates. */
  readonly from: number
  readonly to: number
}

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

/**
 * Adds a finding for each piece that a finding covers, unless it covers only one piece or the piece has a finding of this type.
 * Findings and pieces are in order, so this takes linear time.
 */
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
      const finding = { type, start: piece.start, end: piece.end }
      lists[piece.index]?.push(order < covered.length - 1 ? { ...finding, continues: true } : finding)
    }
  }
}

const isKnown = (type: FindingType, { start, end }: Piece, findings: readonly Finding[]): boolean =>
  findings.some((known) => known.type === type && known.start < end && known.end > start)
