const LABELS: Readonly<Record<string, string>> = {
  'pii.email': 'email address',
  'pii.phone': 'phone number',
  'pii.card': 'payment card',
  'pii.iban': 'IBAN',
  'pii.national_id': 'national ID',
  'pii.ip': 'IP address',
  'pii.person': 'person name',
  'secret.api_key': 'API key',
  'secret.token': 'token',
  'secret.private_key': 'private key',
  'secret.connection_string': 'connection string',
  'injection.override': 'injection: override',
  'injection.exfiltration': 'injection: exfiltration',
  'injection.role_play': 'injection: role play',
  'hidden.text': 'hidden text',
}

export const FINDING_TYPES = Object.keys(LABELS)

/** Label of a finding type. */
export const findingLabel = (type: string): string => LABELS[type] ?? type

/** Counts per finding type, most frequent first, without the groups, which repeat the counts of their types. */
export const findingCounts = (findings: Readonly<Record<string, number>>): readonly (readonly [type: string, count: number])[] =>
  Object.entries(findings)
    .filter(([type, count]) => count > 0 && type.includes('.'))
    .toSorted(([, one], [, other]) => other - one)
