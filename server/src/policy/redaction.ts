import type { FindingType } from '../domain/finding.ts'

/** What a finding is called in the place where it stood: `[EMAIL]`, `<EMAIL_1>`. */
export const FINDING_LABELS: Readonly<Record<FindingType, string>> = {
  'pii.email': 'EMAIL',
  'pii.phone': 'PHONE',
  'pii.card': 'CARD',
  'pii.iban': 'IBAN',
  'pii.national_id': 'NATIONAL_ID',
  'pii.ip': 'IP',
  'pii.person': 'PERSON',
  'secret.api_key': 'API_KEY',
  'secret.token': 'TOKEN',
  'secret.private_key': 'PRIVATE_KEY',
  'secret.connection_string': 'CONNECTION_STRING',
  'injection.override': 'INJECTION',
  'injection.exfiltration': 'INJECTION',
  'injection.role_play': 'INJECTION',
  'hidden.text': 'HIDDEN_TEXT',
}

export const redactionLabel = (type: FindingType): string => `[${FINDING_LABELS[type]}]`

const KEPT = 4

/**
 * Keeps the last four letters or digits and what stands between them; every other character, spaces too, becomes a star, so that
 * the shape of the rest does not show. A text with four of them or fewer becomes all stars.
 */
export function maskText(text: string): string {
  const characters = [...text]
  const telling = characters.flatMap((character, index) => (/[\p{L}\p{N}]/u.test(character) ? [index] : []))
  const from = telling.length > KEPT ? (telling.at(-KEPT) ?? characters.length) : characters.length
  return characters.map((character, index) => (index < from ? '*' : character)).join('')
}
