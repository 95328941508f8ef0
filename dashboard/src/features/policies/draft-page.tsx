import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ItemOf } from '../../api/operations.ts'
import { refreshPaths, useAll, useRead } from '../../api/queries.ts'
import { useWorkspace } from '../../api/workspace.ts'
import { textOf, useFilters } from '../../routing/location.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { Draft } from './draft.tsx'
import { loadDraft, type StoredDraft } from './draft-storage.ts'
import { baseOf } from './use-base-version.ts'

const FIRST_DOCUMENT = `name: policies
rules:
  - id: secrets-never-leave
    description: Credentials must not reach a provider.
    at: [input]
    when: content.findings.secret > 0
    verdict: deny
`

const readFilters = (search: Readonly<Record<string, unknown>>) => ({ from: textOf(search.from) })

/** A draft of the next version, based on the active or another version. */
export function Page() {
  const [{ from }, setFilters] = useFilters(readFilters)
  const [round, setRound] = useState(0)
  const queries = useQueryClient()
  const workspace = useWorkspace()
  const { items, error, retry } = useAll('/admin/v1/policy-sets', {}, { staleTime: 0 })
  if (error && !items) return <ErrorState error={error} onRetry={retry} />
  if (!items) return <PageSkeleton />
  const key = `gatehouse draft ${workspace ?? ''} ${from ?? 'active'}`
  const restart = async () => {
    await refreshPaths(queries, ['/admin/v1/policy-sets'])
    setFilters({ from: undefined })
    setRound((before) => before + 1)
  }
  return <DraftFrom key={`${key} ${round}`} storageKey={key} from={from} versions={items} onDiscard={() => void restart()} />
}

interface DraftFromProps {
  readonly storageKey: string
  readonly from: string | undefined
  readonly versions: readonly ItemOf<'/admin/v1/policy-sets'>[]
  readonly onDiscard: () => void
}

/** The stored draft of this window, or a new one. Versions published meanwhile do not change it. */
function DraftFrom({ storageKey, from, versions, onDiscard }: DraftFromProps) {
  const [stored] = useState<StoredDraft>(() => {
    const active = versions.find((one) => one.active)
    return loadDraft(storageKey) ?? { from: from ?? active?.id ?? '', base: baseOf(active) }
  })
  const set = useRead('/admin/v1/policy-sets/{id}', { params: { path: { id: stored.from } } }, { enabled: stored.from !== '' })
  if (set.error && !set.data) return <ErrorState error={set.error} onRetry={() => void set.refetch()} />
  if (stored.from !== '' && !set.data) return <PageSkeleton />
  return <Draft storageKey={storageKey} stored={stored} original={set.data?.source ?? FIRST_DOCUMENT} onDiscard={onDiscard} />
}
