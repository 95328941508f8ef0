import { Button, Group, Paper, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { notifyError, notifySuccess } from '../../ui/notify.ts'

interface BulkBarProps {
  readonly selected: readonly string[]
  readonly onDone: () => void
}

/** Acknowledges the selected escalations with one comment. Holds are decided one by one. */
export function BulkBar({ selected, onDone }: BulkBarProps) {
  const { t } = useTranslation('reviews')
  const [comment, setComment] = useState('')
  const acknowledge = useChange('post', '/admin/v1/reviews/acknowledge', {
    refresh: ['/admin/v1/reviews'],
    onDone: ({ results }) => {
      const failed = results.filter(({ acknowledged }) => !acknowledged)
      const count = results.length - failed.length
      if (count > 0) notifySuccess(t('bulk.done', { count }))
      const message = failed[0]?.error?.message
      if (message !== undefined) notifyError(new Error(t('bulk.failed', { count: failed.length, message })))
      setComment('')
      onDone()
    },
  })
  const send = () => {
    const body = { ids: [...selected], ...(comment.trim() && { comment: comment.trim() }) }
    acknowledge.mutate({ body }, { onError: notifyError })
  }
  if (selected.length === 0) return null
  return (
    <Paper withBorder p="xs" role="group" aria-label={t('bulk.selected', { count: selected.length })}>
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
        <Button size="xs" loading={acknowledge.isPending} onClick={send}>
          {t('bulk.acknowledge')}
        </Button>
        <Button size="xs" variant="default" disabled={acknowledge.isPending} onClick={onDone}>
          {t('bulk.clear')}
        </Button>
      </Group>
    </Paper>
  )
}
