import { List, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Time } from '../../ui/time.tsx'
import type { ReviewItem } from './review-item.ts'
import { useReviewers } from './use-reviewers.ts'

/** The approvals of a hold that requires several. */
export function Approvals({ item: { required_approvals, approvals } }: { readonly item: ReviewItem }) {
  const { t } = useTranslation('reviews')
  const { nameOf } = useReviewers()
  if (required_approvals === 1) return null
  return (
    <div>
      <Text size="sm">{t('approvals.needed', { required: required_approvals })}</Text>
      <Text size="sm" fw={600}>
        {t('approvals.progress', { done: approvals.length, required: required_approvals })}
      </Text>
      {approvals.length > 0 && (
        <List size="sm" aria-label={t('approvals.list')}>
          {approvals.map(({ by, at, comment }) => (
            <List.Item key={by}>
              {nameOf(by)} <Time at={at} /> {comment}
            </List.Item>
          ))}
        </List>
      )}
    </div>
  )
}
