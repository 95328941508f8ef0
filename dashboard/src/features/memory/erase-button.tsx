import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { notifySuccess } from '../../ui/notify.ts'
import type { Memory } from './memory.ts'

export function EraseButton({ memory: { id, content } }: { readonly memory: Memory }) {
  const { t } = useTranslation('memory')
  const erase = useChange('delete', '/admin/v1/memories/{id}', {
    refresh: ['/admin/v1/memories'],
    onDone: () => notifySuccess(t('erase.done')),
  })
  return (
    <ConfirmButton
      aria-label={t('erase.labelFor', { content })}
      question={t('erase.question')}
      consequence={t('erase.consequence', { content })}
      onConfirm={() => erase.mutateAsync({ params: { path: { id } } })}
    >
      {t('erase.label')}
    </ConfirmButton>
  )
}

/** Erases the memories and stored responses of a user. */
export function EraseAllButton({ user }: { readonly user: string }) {
  const { t } = useTranslation('memory')
  const erase = useChange('delete', '/admin/v1/users/{id}/memories', {
    refresh: ['/admin/v1/memories'],
    onDone: ({ erased, erased_responses }) => {
      notifySuccess(t('eraseAll.memories', { count: erased }))
      if (erased_responses > 0) notifySuccess(t('eraseAll.responses', { count: erased_responses }))
    },
  })
  return (
    <ConfirmButton
      size="sm"
      color="red"
      question={t('eraseAll.question', { user })}
      consequence={t('eraseAll.consequence')}
      onConfirm={() => erase.mutateAsync({ params: { path: { id: user } } })}
    >
      {t('eraseAll.label', { user })}
    </ConfirmButton>
  )
}
