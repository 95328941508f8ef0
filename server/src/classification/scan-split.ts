import type { Finding, FindingType } from '../domain/finding.ts'
import { settle } from './overlaps.ts'
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
const SHORTEST = 12

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
  const together: Scan = scan(
    candidates.map((pieces) => pieces.map(({ joined }) => joined).join('')),
    { ...options, detectors },
  )
  const lists = found.findings.map((list) => [...list])
  for (const [at, pieces] of candidates.entries()) {
    for (const finding of together.findings[at] ?? []) mark(finding, pieces, found.findings, lists)
  }
  const findings = lists.map(settle)
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

/** Words that meet are not worth a scan: keys and numbers have digits, or an address. */
function mayTell(pieces: readonly Piece[]): boolean {
  const length = pieces.reduce((sum, { joined }) => sum + joined.length, 0)
  return length >= SHORTEST && pieces.some(({ joined }) => /\d|:\//.test(joined))
}

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

/** Marks the ends that a finding lies in, unless it lies in one alone or something of its kind is found there already. */
function mark(
  { type, start, end }: Finding,
  pieces: readonly Piece[],
  apart: readonly (readonly Finding[])[],
  lists: readonly Finding[][],
): void {
  let at = 0
  const touched = pieces.filter(({ joined }) => {
    const from = at
    at += joined.length
    return from < end && at > start
  })
  if (touched.length < 2 || touched.some((piece) => isKnown(type, piece, apart[piece.index] ?? []))) return
  for (const [order, piece] of touched.entries()) {
    const finding = { type, start: piece.start, end: piece.end }
    lists[piece.index]?.push(order < touched.length - 1 ? { ...finding, continues: true } : finding)
  }
}

const isKnown = (type: FindingType, { start, end }: Piece, findings: readonly Finding[]): boolean =>
  findings.some((known) => known.type === type && known.start < end && known.end > start)
