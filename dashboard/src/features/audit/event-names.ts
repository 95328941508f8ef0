import { useTranslation } from 'react-i18next'
import type { AuditRecord } from '../../api/schema.d.ts'
import { sentenceOf } from '../../ui/sentence.ts'

type Event = Pick<AuditRecord, 'change' | 'endpoint' | 'policy_versions'>

/** The event of a record in words ("Key created", "demo v2 published", "Chat"), and as it is in the record (`key.issue`). */
export function useEventNames() {
  const { t, i18n } = useTranslation('audit')
  const wordsOf = (key: string, raw: string): string =>
    i18n.exists(key, { ns: 'audit' }) ? t(key as 'endpoints.chat') : sentenceOf(raw)
  const publicationOf = ({ change, policy_versions: [published] }: Event): string | undefined => {
    if (change?.action !== 'policy_set.publish' || published?.name === undefined) return undefined
    const { name, version } = published
    const { restores } = change
    if (restores) return t('events.policy_set.rollBack', { name, version, restored: restores.version })
    return t('events.policy_set.publishVersion', { name, version })
  }
  return {
    nameOf: (event: Event): string => {
      const { change, endpoint } = event
      if (!change) return wordsOf(`endpoints.${endpoint}`, endpoint)
      return publicationOf(event) ?? wordsOf(`events.${change.action}`, change.action)
    },
    rawOf: ({ change, endpoint }: Pick<Event, 'change' | 'endpoint'>): string => change?.action ?? endpoint,
    endpointOf: ({ endpoint }: Pick<Event, 'endpoint'>): string => wordsOf(`endpoints.${endpoint}`, endpoint),
  }
}
