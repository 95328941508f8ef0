import { useTranslation } from 'react-i18next'
import type { ItemOf } from '../../api/operations.ts'

export type Webhook = ItemOf<'/admin/v1/webhooks'>
export type Format = Webhook['format']
type EventType = NonNullable<Webhook['types']>[number]

export const FORMATS: readonly Format[] = ['standard', 'slack', 'teams']

const CHANGES = ['created', 'updated', 'deleted'] as const
const OBJECTS = ['conversation', 'message', 'contact', 'group', 'attachment'] as const

/** Event types that a webhook can receive, by group. */
const GROUPS = {
  reviews: ['review.created', 'review.assigned', 'review.decided', 'review.overdue', 'review.expired'],
  policies: ['policy.published'],
  keys: ['key.created', 'key.rotated', 'key.revoked', 'key.expiring'],
  budgets: ['budget.alert'],
  providers: ['provider.failing'],
  messaging: [
    ...OBJECTS.flatMap((object) => CHANGES.map((change) => `${object}.${change}` as const)),
    'message.read',
    'message.held',
    'message.released',
    'assistant.typing',
  ],
} as const satisfies Record<string, readonly EventType[]>

/** Chat tools get no messaging events. */
const groupsOf = (format: Format) =>
  (Object.keys(GROUPS) as (keyof typeof GROUPS)[]).filter((group) => format === 'standard' || group !== 'messaging')

/** Events without content of messages, which a new webhook gets. */
export const GOVERNANCE_TYPES: readonly EventType[] = groupsOf('slack').flatMap((group) => GROUPS[group])

/** The types that are also valid in the format. */
export const typesIn = (format: Format, types: readonly EventType[]): EventType[] => {
  const valid: readonly EventType[] = groupsOf(format).flatMap((group) => GROUPS[group])
  return types.filter((type) => valid.includes(type))
}

/** Labels of event types, as options in groups and as a list. */
export function useEventTypes() {
  const { t } = useTranslation('webhooks')
  return {
    optionsIn: (format: Format) =>
      groupsOf(format).map((group) => ({
        group: t(`groups.${group}`),
        items: GROUPS[group].map((type) => ({ value: type, label: t(`types.${type}`) })),
      })),
    labelOf: (type: string) => t(`types.${type as EventType}`, { defaultValue: type }),
    listOf: (types: Webhook['types']) => (types === null ? t('all') : types.map((type) => t(`types.${type}`)).join(', ')),
  }
}
