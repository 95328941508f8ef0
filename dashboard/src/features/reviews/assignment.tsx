import { Button, Select, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { notifyError, notifySuccess } from '../../ui/notify.ts'
import type { ReviewItem } from './review-item.ts'
import { useAssigneeText } from './use-assignee-text.ts'
import { useCacheItem } from './use-queue.ts'
import { isAway, useReviewers } from './use-reviewers.ts'

/** Chooses who is asked to decide on a pending item. Others can still decide. */
export function Assignment({ item }: { readonly item: ReviewItem }) {
  const { id, assigned_to, assigned_for } = item
  const { t } = useTranslation('reviews')
  const { self, reviewers, nameOf, own } = useReviewers()
  const assigneeText = useAssigneeText()
  const cacheItem = useCacheItem()
  const assign = useChange('post', '/admin/v1/reviews/{id}/assign', {
    onDone: (changed) => {
      cacheItem(changed)
      notifySuccess(changed.assigned_for === null ? assignmentText(changed.assigned_to) : assigneeText(changed))
    },
  })
  const assignmentText = (assignee: string | null): string => {
    if (assignee === null) return t('assignment.removed')
    return assignee === self ? t('assignment.doneYou') : t('assignment.done', { name: nameOf(assignee) })
  }
  const assignTo = (operator_id: string | null) =>
    assign.mutate({ params: { path: { id } }, body: { operator_id } }, { onError: notifyError })
  const choices = reviewers.map((reviewer) => {
    const name = reviewer.id === self ? t('assignment.you') : reviewer.name
    return { value: reviewer.id, label: isAway(reviewer) ? t('assignment.away', { name }) : name }
  })
  // An assignee who has lost the role since.
  if (assigned_to !== null && !reviewers.some((reviewer) => reviewer.id === assigned_to))
    choices.push({ value: assigned_to, label: nameOf(assigned_to) })
  const assignee = reviewers.find((reviewer) => reviewer.id === assigned_to)
  return (
    <>
      <Select
        label={t('assignment.label')}
        placeholder={t('assignment.unassigned')}
        flex="1 1 150px"
        maw={220}
        clearable
        searchable
        clearButtonProps={{ 'aria-label': t('assignment.unassign') }}
        data={choices}
        value={assigned_to}
        disabled={assign.isPending}
        onChange={assignTo}
      />
      {own && assigned_to !== self && (
        <Button variant="default" loading={assign.isPending} onClick={() => assignTo(own.id)}>
          {t('assignment.assignToMe')}
        </Button>
      )}
      {((assignee && isAway(assignee)) || assigned_for !== null) && <Text size="sm">{assigneeText(item)}</Text>}
    </>
  )
}
