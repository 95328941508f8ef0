import { Button, Menu } from '@mantine/core'
import { IconClockPlus } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { formatDuration } from '../../ui/format-duration.ts'
import { notifyError, notifySuccess } from '../../ui/notify.ts'
import type { ReviewItem } from './review-item.ts'
import { useCacheItem } from './use-queue.ts'

const HOUR_MS = 3_600_000
const EXTENSIONS = [4, 24, 72, 168].map((hours) => hours * HOUR_MS)
/** As the API allows: from the time of the request. */
const LIMIT_MS = 30 * 24 * HOUR_MS

/** Moves the deadline of a pending item by a chosen time. */
export function ExtendButton({ item: { id, created_at, expires_at } }: { readonly item: ReviewItem }) {
  const { t } = useTranslation('reviews')
  const cacheItem = useCacheItem()
  const extend = useChange('post', '/admin/v1/reviews/{id}/extend', {
    onDone: (changed) => {
      cacheItem(changed)
      notifySuccess(t('extend.done'))
    },
  })
  const deadline = Date.parse(expires_at)
  const choices = EXTENSIONS.filter((ms) => deadline + ms <= Date.parse(created_at) + LIMIT_MS)
  const extendBy = (ms: number) =>
    extend.mutate(
      { params: { path: { id } }, body: { expires_at: new Date(deadline + ms).toISOString() } },
      { onError: notifyError },
    )
  if (choices.length === 0) return null
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" leftSection={<IconClockPlus size={16} />} loading={extend.isPending}>
          {t('extend.action')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {choices.map((ms) => (
          <Menu.Item key={ms} onClick={() => extendBy(ms)}>
            {t('extend.by', { duration: formatDuration(ms) })}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
