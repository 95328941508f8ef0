import type { Finding, FindingType } from '../domain/finding.ts'
import { resolveOverlaps } from './overlaps.ts'
import { count, type Scan, scan } from './scan.ts'
import type { JoinedScan } from './scan-joined.ts'

/** What an end of one text and the beginning of the next may be of one key or number, as the joined text has it. */
interface Piece {
  readonly index: number
  readonly start: number
  readonly end: number
  readonly joined: string
}

/** Detectors of what is told by its form alone. The others would take any two sentences that meet for something. */
const BY_FORM: ReadonlySet<string> = new Set(['payment-card', 'iban', 'api-key', 'token', 'connection-string'])

/** How much of an end is read, and how long the shortest key or number is. */
const END_CHARACTERS = 512
const SHORTEST = 14

const isVisible = (code: number): boolean => code > 32
const isDigit = (code: number): boolean => code >= 48 && code <= 57
const isSeparator = (code: number): boolean => code === 32 || code === 45 || code === 46 || code === 160

/**
 * Characters that keep a key, or the groups of a number, in one piece; those that such a piece begins and ends with; and how the joined
 * text has it: a number without its separators.
 */
const KINDS = [
  { inside: isVisible, outer: isVisible, joined: (text: string) => text },
  {
    inside: (code: number) => isDigit(code) || isSeparator(code),
    outer: isDigit,
    joined: (text: string) => text.replace(/\D/g, ''),
  },
]

/**
 * Adds to a scan the keys, card and account numbers that are split over texts that follow each other. `runs`: lists of indices of such
 * texts. Only their ends are read, and of the findings only those that no text shows by itself: each end that has a part of one is
 * marked whole.
 */
export function scanSplit(
  texts: readonly string[],
  runs: readonly (readonly number[])[],
  found: JoinedScan,
  options: Parameters<typeof scan>[1],
): JoinedScan {
  const candidates = runs.flatMap((run) => KINDS.flatMap((kind) => piecesOf(texts, run, kind)))
  if (candidates.length === 0) return found
  const detectors = options.detectors.filter(({ name }) => BY_FORM.has(name))
  // As one text, a line for each: no key or number goes over the end of a line.
  const lines = candidates.map((pieces) => pieces.map(({ joined }) => joined).join(''))
  const together: Scan = scan([lines.join('\n')], { ...options, detectors })
  const lists = found.findings.map((list) => [...list])
  mark(together.findings[0] ?? [], placed(candidates), found.findings, lists)
  const findings = lists.map(resolveOverlaps)
  return { ...found, findings, counts: count(findings), failures: [...new Set([...found.failures, ...together.failures])] }
}

/** The ends that meet, in groups: a text that is in one piece goes on with the next. */
function piecesOf(texts: readonly string[], run: readonly number[], kind: (typeof KINDS)[number]): Piece[][] {
  const groups: Piece[][] = []
  let open: Piece[] = []
  const close = () => {
    if (open.length > 1 && mayTell(open)) groups.push(open)
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

/** Words that meet are not worth a scan: keys and numbers have digits, or an address. */
const mayTell = (pieces: readonly Piece[]): boolean =>
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

interface Placed extends Piece {
  /** Where it begins and ends in the one text. */
  readonly from: number
  readonly to: number
}

function placed(candidates: readonly (readonly Piece[])[]): readonly Placed[] {
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
 * Marks the ends that a finding lies in, unless it lies in one alone or something of its kind is found there already. Findings and
 * pieces are both in order: each piece is looked at once or twice.
 */
function mark(
  findings: readonly Finding[],
  pieces: readonly Placed[],
  apart: readonly (readonly Finding[])[],
  lists: readonly Finding[][],
): void {
  let first = 0
  for (const { type, start, end } of findings) {
    while (first < pieces.length && (pieces[first]?.to ?? 0) <= start) first++
    let after = first
    while (after < pieces.length && (pieces[after]?.from ?? 0) < end) after++
    const touched = pieces.slice(first, after)
    if (touched.length < 2 || touched.some((piece) => isKnown(type, piece, apart[piece.index] ?? []))) continue
    for (const [order, piece] of touched.entries()) {
      const finding = { type, start: piece.start, end: piece.end }
      lists[piece.index]?.push(order < touched.length - 1 ? { ...finding, continues: true } : finding)
    }
  }
}

const isKnown = (type: FindingType, { start, end }: Piece, findings: readonly Finding[]): boolean =>
  findings.some((known) => known.type === type && known.start < end && known.end > start)
