import { useTranslation } from 'react-i18next'
import type { AuditRecord } from '../../api/schema.d.ts'

type Event = Pick<AuditRecord, 'change' | 'endpoint'>

/** The event of a record in words ("Key created", "Chat"), and as it is in the record (`key.issue`). */
export function useEventNames() {
  const { t, i18n } = useTranslation('audit')
  const wordsOf = (key: string, raw: string): string =>
    i18n.exists(key, { ns: 'audit' }) ? t(key as 'endpoints.chat') : sentenceOf(raw)
  return {
    nameOf: ({ change, endpoint }: Event): string =>
      change ? wordsOf(`events.${change.action}`, change.action) : wordsOf(`endpoints.${endpoint}`, endpoint),
    rawOf: ({ change, endpoint }: Event): string => change?.action ?? endpoint,
  }
}

/** An event of another version: `robot.switch_off` becomes "Robot: switch off". */
function sentenceOf(raw: string): string {
  const text = raw.replaceAll('_', ' ').replace('.', ': ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
