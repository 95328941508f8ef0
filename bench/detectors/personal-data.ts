import type { FindingType } from '../../server/src/shared/finding.ts'
import { find, type PresidioText } from './data.ts'
import { kindRow, newScore, type Score, scoreRow } from './score.ts'

/** The entities of presidio-research for each finding type, and further entities on which a finding is not counted as wrong. */
const KINDS: readonly { readonly type: FindingType; readonly is: readonly string[]; readonly mayBe?: readonly string[] }[] = [
  { type: 'pii.email', is: ['EMAIL_ADDRESS'] },
  { type: 'pii.phone', is: ['PHONE_NUMBER'] },
  { type: 'pii.card', is: ['CREDIT_CARD'] },
  { type: 'pii.iban', is: ['IBAN_CODE'] },
  { type: 'pii.national_id', is: ['US_SSN', 'US_DRIVER_LICENSE'] },
  { type: 'pii.ip', is: ['IP_ADDRESS'] },
  { type: 'pii.person', is: ['PERSON'], mayBe: ['PREFIX', 'TITLE', 'DATE_TIME'] },
]

const overlaps = (a: { start: number; end: number }, b: PresidioText['spans'][number]): boolean =>
  a.start < b.end_position && a.end > b.start_position

/** Measures precision and recall by span: a finding is correct if it overlaps a span of its kind. */
export function benchPersonalData(texts: readonly PresidioText[]): string[][] {
  const scores = KINDS.map((kind) => ({ kind, score: newScore() }))
  for (const text of texts) {
    const findings = find(text.full_text)
    for (const { kind, score } of scores) rate(text, kind, findings, score)
  }
  return [
    kindRow('personal data, presidio-research (spans)'),
    ...scores.map(({ kind, score }) => scoreRow(`\`${kind.type}\``, score)),
  ]
}

function rate(text: PresidioText, kind: (typeof KINDS)[number], all: ReturnType<typeof find>, score: Score): void {
  const expected = text.spans.filter(({ entity_type }) => kind.is.includes(entity_type))
  const allowed = text.spans.filter(({ entity_type }) => kind.is.includes(entity_type) || kind.mayBe?.includes(entity_type))
  const findings = all.filter(({ type }) => type === kind.type)
  for (const span of expected) score[findings.some((finding) => overlaps(finding, span)) ? 'found' : 'missed'] += 1
  score.wrong += findings.filter((finding) => !allowed.some((span) => overlaps(finding, span))).length
  if (allowed.length > 0) return
  score.clean += 1
  if (findings.length > 0) score.alarmed += 1
}
