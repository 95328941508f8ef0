import type { FindingType } from '../../shared/finding.ts'

/** Names of findings in transformed texts: `[EMAIL]`, `<EMAIL_1>`. */
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

const VISIBLE = 4

/** Stars, except the last four letters or digits, if there are more. Separators would show the shape of the value. */
export function maskText(text: string): string {
  const characters = [...text]
  const alphanumeric = characters.flatMap((character, index) => (/[\p{L}\p{N}]/u.test(character) ? [index] : []))
  const visibleFrom = alphanumeric.length > VISIBLE ? (alphanumeric.at(-VISIBLE) ?? characters.length) : characters.length
  return characters.map((character, index) => (index < visibleFrom ? '*' : character)).join('')
}
