import { Group, List, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { Link } from '../../ui/link.tsx'
import { Outcome, reasonOf } from '../../ui/outcome.tsx'
import { Time } from '../../ui/time.tsx'
import type { ReviewItem } from './review-item.ts'

const SHOWN = 5
/** Longest id that the search for records takes. */
const MAX_ID = 256

/** The newest other requests of the item's user, each with its outcome and a link to its record. */
export function OtherRequests({ item: { user_id: user, audit_id } }: { readonly item: ReviewItem }) {
  const { t } = useTranslation('reviews')
  const enabled = useScopes().hasScope('audit:read') && user !== '' && user.length <= MAX_ID
  const { data } = useRead('/admin/v1/audit', { params: { query: { user, limit: SHOWN + 1 } } }, { enabled })
  if (!data) return null
  const others = data.data.filter(({ id }) => id !== audit_id).slice(0, SHOWN)
  return (
    <div>
      <Text size="sm" c="dimmed">
        {t('others.title')}
      </Text>
      {others.length === 0 && <Text size="sm">{t('others.none')}</Text>}
      <List size="sm" listStyleType="none" aria-label={t('others.title')}>
        {others.map((record) => (
          <List.Item key={record.id} mt={4}>
            <Group gap="xs">
              <Link to={`/audit/${record.id}`}>
                <Time at={record.created_at} />
              </Link>
              <Outcome of={record} />
              <Text size="xs" c="dimmed">
                {reasonOf(record)}
              </Text>
            </Group>
          </List.Item>
        ))}
      </List>
    </div>
  )
}
