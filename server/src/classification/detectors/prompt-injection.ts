import type { Finding } from '../../domain/finding.ts'
import type { Detector } from '../detector.ts'
import { addEastAsian } from './injection/east-asian.ts'
import { type CompiledPhrase, candidates } from './injection/grammar.ts'
import { isGlued } from './injection/joined-words.ts'
import { addMarkers } from './injection/markers.ts'
import { glance, Reading } from './injection/sign-line.ts'

function addPhrases(text: string, findings: Finding[]): void {
  const { anchors, odd } = glance(text)
  let reading: Reading | undefined
  for (const phrase of candidates(anchors)) {
    reading ??= new Reading(text)
    addPhrase(phrase, reading, findings)
  }
  for (const { start, end } of odd) if (isGlued(text, start, end)) findings.push({ type: 'injection.override', start, end })
}

function addPhrase(
  { type, expression, guard }: CompiledPhrase,
  { signs, before, starts, ends }: Reading,
  findings: Finding[],
): void {
  expression.lastIndex = 0
  for (let match = expression.exec(signs); match; match = expression.exec(signs)) {
    const { 0: found, index } = match
    if (guard) guard.lastIndex = index
    if (!guard || guard.test(before)) findings.push({ type, start: starts[index] ?? 0, end: ends[index + found.length - 1] ?? 0 })
    // Another may begin within what means nothing here.
    else expression.lastIndex = index + 1
  }
}

/**
 * Attempts to talk a model out of its instructions: to set them aside (override), to bring them or the conversation out
 * (exfiltration), to play a part that has none (role_play). Reads words in fifteen languages, through look-alike letters, leetspeak
 * and spread or glued words.
 *
 * A signal, not a wall: it knows how such texts are usually worded, and was made to be quiet on texts that talk about them. See
 * docs/decisions/0004-detectors.md for what it finds and what it cannot.
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
