const NAMES: Readonly<Record<string, string>> = {
  'pii.email': 'e-mail address',
  'pii.phone': 'phone number',
  'pii.card': 'payment card',
  'pii.iban': 'account number (IBAN)',
  'pii.national_id': 'national id',
  'pii.ip': 'IP address',
  'pii.person': 'name of a person',
  'secret.api_key': 'API key',
  'secret.token': 'token',
  'secret.private_key': 'private key',
  'secret.connection_string': 'connection string',
  'injection.override': 'injection: override',
  'injection.exfiltration': 'injection: exfiltration',
  'injection.role_play': 'injection: role play',
  'hidden.text': 'hidden text',
}

/** What a detector found, as people say it. */
export const findingName = (type: string): string => NAMES[type] ?? type

/** Single types, most frequent first, without the groups that count them once more. */
export const foundTypes = (findings: Readonly<Record<string, number>>): readonly (readonly [type: string, count: number])[] =>
  Object.entries(findings)
    .filter(([type, count]) => count > 0 && type.includes('.'))
    .toSorted(([, one], [, other]) => other - one)
