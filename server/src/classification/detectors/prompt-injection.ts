import type { Finding } from '../../domain/finding.ts'
import type { Detector } from '../detector.ts'
import { eachMatch } from '../text/matches.ts'
import { addEastAsian } from './injection/east-asian.ts'
import { isGlued } from './injection/glued.ts'
import { candidates } from './injection/grammar.ts'
import { addMarkers } from './injection/markers.ts'
import { Glance, Reading } from './injection/reading.ts'

function addPhrases(text: string, findings: Finding[]): void {
  const glance = new Glance(text)
  let reading: Reading | undefined
  for (const { type, expression } of candidates(glance.anchors)) {
    reading ??= new Reading(text)
    const { signs, starts, ends } = reading
    eachMatch(signs, expression, ({ 0: match, index }) => {
      findings.push({ type, start: starts[index] ?? 0, end: ends[index + match.length - 1] ?? text.length })
    })
  }
  for (const { start, end } of glance.odd)
    if (isGlued(text, start, end)) findings.push({ type: 'injection.override', start, end })
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
