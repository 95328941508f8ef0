import { Button, Group, Paper, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ReviewItem } from './review-item.ts'
import { useDecide } from './use-decide.tsx'

interface BulkBarProps {
  readonly selected: readonly ReviewItem[]
  readonly onDone: () => void
}

/** Acknowledges the selected escalations with one comment. Holds are decided one by one. */
export function BulkBar({ selected, onDone }: BulkBarProps) {
  const { t } = useTranslation('reviews')
  const [comment, setComment] = useState('')
  const decide = useDecide(selected)
  const acknowledge = () => {
    decide(selected, 'acknowledge', comment)
    setComment('')
    onDone()
  }
  if (selected.length === 0) return null
  return (
    <Paper withBorder p="xs" mb={4} role="group" aria-label={t('bulk.selected', { count: selected.length })}>
      <Text size="sm" fw={600} mb="xs">
        {t('bulk.selected', { count: selected.length })}
      </Text>
      <TextInput
        aria-label={t('bulk.comment')}
        placeholder={t('bulk.comment')}
        mb="xs"
        maxLength={4_000}
        value={comment}
        onChange={({ currentTarget }) => setComment(currentTarget.value)}
      />
      <Group gap="xs">
        <Button size="xs" onClick={acknowledge}>
          {t('bulk.acknowledge')}
        </Button>
        <Button size="xs" variant="default" onClick={onDone}>
          {t('bulk.clear')}
        </Button>
      </Group>
    </Paper>
  )
}
