import type { InitOf, ResponseOf } from '../../api/operations.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { useWorkspace } from '../../api/workspace.ts'
import { notifySuccess } from '../../ui/notify.ts'

export type Workspace = ResponseOf<'get', '/admin/v1/workspaces/{id}'>
type Patch = NonNullable<InitOf<'patch', '/admin/v1/workspaces/{id}'>['body']>

/** The selected Workspace. */
export function useCurrentWorkspace() {
  const workspaces = useSession().data?.workspaces ?? []
  const selected = useWorkspace()
  const { id } = workspaces.find((one) => one.id === selected || one.name === selected) ?? workspaces[0] ?? { id: '' }
  return useRead('/admin/v1/workspaces/{id}', { params: { path: { id } } }, { enabled: id !== '' })
}

interface SaveHandlers {
  readonly onError: (error: unknown) => void
  readonly onSuccess?: () => void
}

/** Updates a Workspace and confirms it. */
export function useSave({ id }: Pick<Workspace, 'id'>) {
  const update = useChange('patch', '/admin/v1/workspaces/{id}', { refresh: ['/admin/v1/workspaces', '/admin/v1/session'] })
  const save = (body: Patch, { onError, onSuccess }: SaveHandlers) =>
    update.mutate(
      { params: { path: { id } }, body },
      {
        onError,
        onSuccess: () => {
          notifySuccess('Saved.')
          onSuccess?.()
        },
      },
    )
  return { save, saving: update.isPending }
}
