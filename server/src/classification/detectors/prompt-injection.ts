import type { Finding } from '../../domain/finding.ts'
import type { Detector } from '../detector.ts'
import { isGlued } from './injection/glued.ts'
import { GRAMMAR } from './injection/grammar.ts'
import { findMarkers } from './injection/markers.ts'
import { read } from './injection/reading.ts'

function findPhrases(text: string): Finding[] {
  const { signs, starts, ends, bits, odd } = read(text)
  const findings: Finding[] = []
  for (const { type, expression, needs } of GRAMMAR) {
    if (!needs.every((need) => (bits & need) !== 0)) continue
    for (const { 0: match, index } of signs.matchAll(expression)) {
      findings.push({ type, start: starts[index] ?? 0, end: ends[index + match.length - 1] ?? text.length })
    }
  }
  for (const { start, end } of odd) if (isGlued(text, start, end)) findings.push({ type: 'injection.override', start, end })
  return findings
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
  detect: (text) => [...findPhrases(text), ...findMarkers(text)],
}
