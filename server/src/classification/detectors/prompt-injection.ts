import type { Finding } from '../../domain/finding.ts'
import type { Detector } from '../detector.ts'
import { addEastAsian } from './injection/east-asian.ts'
import { type CompiledPhrase, candidates } from './injection/grammar.ts'
import { isGlued } from './injection/joined-words.ts'
import { addMarkers } from './injection/markers.ts'
import { findAnchors, TokenLine } from './injection/token-line.ts'

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
