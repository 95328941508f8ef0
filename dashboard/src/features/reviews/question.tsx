import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Time } from '../../ui/time.tsx'
import type { ReviewItem } from './review-item.ts'
import { useReviewers } from './use-reviewers.ts'

/** The question of a reviewer to the requester. */
export function Question({ item: { question, asked_by, asked_at } }: { readonly item: ReviewItem }) {
  const { t } = useTranslation('reviews')
  const { nameOf } = useReviewers()
  if (question === null) return null
  return (
    <Text size="sm" component="div">
      <Text span inherit fw={600}>
        {t('ask.asked', { name: nameOf(asked_by ?? '') })}
      </Text>{' '}
      {question} {asked_at !== null && <Time at={asked_at} />}
    </Text>
  )
}
