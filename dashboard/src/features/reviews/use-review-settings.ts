import { useChange } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { useWorkspace } from '../../api/workspace.ts'

interface ReviewSettings {
  readonly target_minutes?: number | null
  readonly reasons?: string[]
}

interface Callbacks {
  readonly onSuccess: () => void
  readonly onError: (error: Error) => void
}

/** Changes the settings of the Workspace for reviews. */
export function useReviewSettings(onDone: () => void) {
  const workspaces = useSession().data?.workspaces ?? []
  const selected = useWorkspace()
  const id = (workspaces.find((one) => one.id === selected || one.name === selected) ?? workspaces[0])?.id
  const change = useChange('patch', '/admin/v1/workspaces/{id}', {
    refresh: ['/admin/v1/reviews/statistics', '/admin/v1/workspaces'],
    onDone,
  })
  const save = (review: ReviewSettings, callbacks: Callbacks): void => {
    if (id) change.mutate({ params: { path: { id } }, body: { settings: { review } } }, callbacks)
  }
  return { save, isSaving: change.isPending }
}
