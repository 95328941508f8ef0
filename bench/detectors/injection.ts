import { groupOf } from '../../server/src/shared/finding.ts'
import { HARMLESS } from '../../server/test/support/classification/harmless-texts.ts'
import { INJECTIONS } from '../../server/test/support/classification/injection-texts.ts'
import { type Data, find } from './data.ts'
import { kindRow, newScore, type Score, scoreRow } from './score.ts'

const isAlarmed = (text: string): boolean => find(text).some(({ type }) => groupOf(type) === 'injection')

/** Rates whole texts: an injection is found if the detector finds any part of it. */
function rate(score: Score, injections: readonly string[], harmless: readonly string[]): Score {
  for (const text of injections) score[isAlarmed(text) ? 'found' : 'missed'] += 1
  for (const text of harmless) {
    score.clean += 1
    if (!isAlarmed(text)) continue
    score.alarmed += 1
    score.wrong += 1
  }
  return score
}

/** Inserts an attack in the middle of an e-mail, as in an indirect injection. */
const insert = (attack: string, email: string): string => {
  const middle = email.indexOf(' ', email.length / 2)
  return `${email.slice(0, middle)}\n${attack}\n${email.slice(middle)}`
}

export function benchInjection(data: Data): string[][] {
  const texts = (label: 0 | 1): string[] => data.prompts.filter((prompt) => prompt.label === label).map(({ prompt }) => prompt)
  const injections = Map.groupBy(
    data.prompts.filter(({ label }) => label === 1),
    ({ source }) => source,
  )
  const rows = [...injections].map(([name, prompts]) =>
    scoreRow(
      `PIGuard: ${name}`,
      rate(
        newScore(),
        prompts.map(({ prompt }) => prompt),
        [],
      ),
    ),
  )
  const attacks = [...Object.values(data.textAttacks), ...Object.values(data.codeAttacks)].flat()
  const inEmails = attacks.map((attack, i) => insert(attack, data.emails[i % data.emails.length] ?? ''))
  rows.push(
    scoreRow('PIGuard, all', rate(newScore(), texts(1), texts(0))),
    scoreRow('BIPIA: tasks in e-mails', rate(newScore(), inEmails, data.emails)),
    scoreRow(
      'presidio texts',
      rate(
        newScore(),
        [],
        data.presidio.map(({ full_text }) => full_text),
      ),
    ),
    scoreRow("our own texts (the detector's tests)", rate(newScore(), INJECTIONS, HARMLESS)),
  )
  return [kindRow('prompt injection (texts)'), ...rows]
}
