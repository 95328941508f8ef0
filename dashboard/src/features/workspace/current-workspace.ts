import type { AnswerOf, InitOf } from '../../api/operations.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { useWorkspace } from '../../api/workspace.ts'
import { notifyDone } from '../../ui/notify.ts'

export type Workspace = AnswerOf<'get', '/admin/v1/workspaces/{id}'>
type Patch = NonNullable<InitOf<'patch', '/admin/v1/workspaces/{id}'>['body']>

/** The Workspace that all pages are about. */
export function useCurrentWorkspace() {
  const workspaces = useSession().data?.workspaces ?? []
  const chosen = useWorkspace()
  const { id } = workspaces.find((one) => one.id === chosen || one.name === chosen) ?? workspaces[0] ?? { id: '' }
  return useRead('/admin/v1/workspaces/{id}', { params: { path: { id } } }, { enabled: id !== '' })
}

interface Saving {
  readonly onError: (error: unknown) => void
  readonly onSuccess?: () => void
}

/** Changes a Workspace, and says so. */
export function useSave({ id }: Pick<Workspace, 'id'>) {
  const update = useChange('patch', '/admin/v1/workspaces/{id}', { refresh: ['/admin/v1/workspaces', '/admin/v1/session'] })
  const save = (body: Patch, { onError, onSuccess }: Saving) =>
    update.mutate(
      { params: { path: { id } }, body },
      {
        onError,
        onSuccess: () => {
          notifyDone('Saved.')
          onSuccess?.()
        },
      },
    )
  return { save, saving: update.isPending }
}
