import { useTranslation } from 'react-i18next'
import type { InitOf, ResponseOf } from '../../api/operations.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { useSessionWorkspace } from '../../api/session.ts'
import { notifySuccess } from '../../ui/notify.ts'

export type Workspace = ResponseOf<'get', '/admin/v1/workspaces/{id}'>
type Patch = NonNullable<InitOf<'patch', '/admin/v1/workspaces/{id}'>['body']>

export function useCurrentWorkspace() {
  const id = useSessionWorkspace()?.id ?? ''
  return useRead('/admin/v1/workspaces/{id}', { params: { path: { id } } }, { enabled: id !== '' })
}

interface SaveHandlers {
  readonly onError: (error: unknown) => void
  readonly onSuccess?: () => void
}

/** Updates a Workspace and confirms it. */
export function useSave({ id }: Pick<Workspace, 'id'>) {
  const { t } = useTranslation('workspace')
  const update = useChange('patch', '/admin/v1/workspaces/{id}', { refresh: ['/admin/v1/workspaces', '/admin/v1/session'] })
  const save = (body: Patch, { onError, onSuccess }: SaveHandlers) =>
    update.mutate(
      { params: { path: { id } }, body },
      {
        onError,
        onSuccess: () => {
          notifySuccess(t('saved'))
          onSuccess?.()
        },
      },
    )
  return { save, saving: update.isPending }
}
