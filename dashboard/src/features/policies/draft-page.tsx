import { hasStatus } from '../../api/api-error.ts'
import { useAll, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { usePathParam } from '../../routing/location.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { Draft } from './draft.tsx'
import type { StoredDraft } from './draft-saver.ts'

/** A draft of the next version. */
export function Page() {
  const id = usePathParam('id')
  const { hasScope } = useScopes()
  const draft = useRead('/admin/v1/policy-drafts/{id}', { params: { path: { id } } }, { staleTime: 0 })
  if (draft.error && (!draft.data || hasStatus(draft.error, 404)))
    return <ErrorState error={draft.error} onRetry={() => void draft.refetch()} />
  // The editor starts with the current text, not with that of an earlier visit.
  if (!draft.data || !draft.isFetchedAfterMount) return <PageSkeleton />
  return <DraftWithBase key={id} draft={draft.data} canWrite={hasScope('policies:write')} />
}

/** Loads the versions that the draft is compared with. */
function DraftWithBase({ draft, canWrite }: { readonly draft: StoredDraft; readonly canWrite: boolean }) {
  const versions = useAll('/admin/v1/policy-sets', {}, { staleTime: 0 })
  if (versions.error && !versions.items) return <ErrorState error={versions.error} onRetry={versions.retry} />
  if (!versions.items) return <PageSkeleton />
  return <Draft draft={draft} active={versions.items.find(({ active }) => active)} canWrite={canWrite} />
}
