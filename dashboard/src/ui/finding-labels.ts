import i18next from 'i18next'

export const FINDING_TYPES = [
  'pii.email',
  'pii.phone',
  'pii.card',
  'pii.iban',
  'pii.national_id',
  'pii.ip',
  'pii.person',
  'secret.api_key',
  'secret.token',
  'secret.private_key',
  'secret.connection_string',
  'injection.override',
  'injection.exfiltration',
  'injection.role_play',
  'hidden.text',
] as const

export const findingLabel = (type: string): string =>
  i18next.t(`ui:findings.${type}` as 'ui:findings.pii.email', { defaultValue: type })

/** Counts per finding type, most frequent first, without the groups, which repeat the counts of their types. */
export const findingCounts = (findings: Readonly<Record<string, number>>): readonly (readonly [type: string, count: number])[] =>
  Object.entries(findings)
    .filter(([type, count]) => count > 0 && type.includes('.'))
    .toSorted(([, one], [, other]) => other - one)
