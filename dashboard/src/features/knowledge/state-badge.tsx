import { Badge } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ItemOf } from '../../api/operations.ts'

const COLORS = { queued: 'gray', parsed: 'blue', failed: 'red' } as const

/** The state of the newest upload; nothing for an indexed document. */
export function StateBadge({ state }: Pick<ItemOf<'/admin/v1/documents'>, 'state'>) {
  const { t } = useTranslation('knowledge')
  return state === 'indexed' ? null : <Badge color={COLORS[state]}>{t(`states.${state}`)}</Badge>
}
