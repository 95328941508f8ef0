import type { Finding } from '../../../shared/finding.ts'
import type { Detector } from '../detector.ts'
import { addEastAsian } from './injection/east-asian.ts'
import { foldAt, foldWord, POSSIBLE_END } from './injection/fold.ts'
import { type CompiledPhrase, candidates } from './injection/grammar.ts'
import { addMarkers } from './injection/markers.ts'
import { findAnchors, TokenLine } from './injection/token-line.ts'

const words = (list: string): string => list.split(' ').map(foldWord).join('|')

/** The main phrases without spaces: `ignoreallpreviousinstructions`, `I G N O R E  A L L …`. */
const GLUED = new RegExp(
  [
    `(?:${words('ignore disregard forget override bypass')})(?:${words('all any every of the your my these those prior previous above preceding earlier system')}){1,6}(?:${words('instruction prompt rule guideline directive order')})s?`,
    `(?:${words('reveal show print repeat output leak')})(?:${words('me us all of the your full entire system hidden initial')}){1,6}(?:${words('prompt instruction')})s?`,
    `(?:${words('doanythingnow')})`,
  ].join('|'),
)

/** Maximum number of letters that are read. */
const MAX_LETTERS = 400

/** Whether the letters of `text` from `start` to `end`, joined, contain an injection. */
function isGlued(text: string, start: number, end: number): boolean {
  let letters = ''
  for (let at = start; at < end && letters.length < MAX_LETTERS; at++) {
    const unit = foldAt(text, at)
    if (unit > POSSIBLE_END) letters += String.fromCharCode(unit)
  }
  return GLUED.test(letters)
}

function addPhrases(text: string, findings: Finding[]): void {
  const { anchors, suspicious } = findAnchors(text)
  let line: TokenLine | undefined
  for (const phrase of candidates(anchors)) {
    line ??= new TokenLine(text)
    addPhrase(phrase, line, findings)
  }
  for (const { start, end } of suspicious)
    if (isGlued(text, start, end)) findings.push({ type: 'injection.override', start, end })
}

function addPhrase(
  { type, expression, guard }: CompiledPhrase,
  { tokens, before, starts, ends }: TokenLine,
  findings: Finding[],
): void {
  expression.lastIndex = 0
  for (let match = expression.exec(tokens); match; match = expression.exec(tokens)) {
    const { 0: found, index } = match
    if (guard) guard.lastIndex = index
    if (!guard || guard.test(before)) findings.push({ type, start: starts[index] ?? 0, end: ends[index + found.length - 1] ?? 0 })
    // Another phrase can begin inside a match that its guard rejects.
    else expression.lastIndex = index + 1
  }
}

/**
 * Attempts to make a model ignore its instructions (override), reveal them or the conversation (exfiltration), or play a role without
 * them (role_play). Recognises words of fifteen languages, also with look-alike letters, leetspeak, and spaced or joined letters.
 *
 * It finds the usual wording of such texts, and is made for few false positives. Decision 0004 lists its limits.
 */
export const promptInjection: Detector = {
  name: 'prompt-injection',
  detect(text) {
    const findings: Finding[] = []
    addPhrases(text, findings)
    addMarkers(text, findings)
    addEastAsian(text, findings)
    return findings
  },
}
