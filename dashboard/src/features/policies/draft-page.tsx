import { useList, useRead } from '../../api/queries.ts'
import { useWorkspace } from '../../api/workspace.ts'
import { textOf, useFilters } from '../../routing/location.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { Draft } from './draft.tsx'

const FIRST_DOCUMENT = `name: policies
rules:
  - id: secrets-never-leave
    description: Credentials must not reach a provider.
    at: [input]
    when: content.findings.secret > 0
    verdict: deny
`

const readFilters = (search: Readonly<Record<string, unknown>>) => ({ from: textOf(search.from) })

/** A draft of the next version, from the one in force or another one. */
export function Page() {
  const [{ from }] = useFilters(readFilters)
  const workspace = useWorkspace()
  const list = useList('/admin/v1/policy-sets', { params: { query: { limit: 100 } } })
  const inForce = list.items?.find(({ active }) => active)
  const id = from ?? inForce?.id ?? ''
  const set = useRead('/admin/v1/policy-sets/{id}', { params: { path: { id } } }, { enabled: id !== '' })
  const error = list.error ?? set.error
  if (error) return <ErrorState error={error} onRetry={() => void set.refetch()} />
  if (!list.items || (id !== '' && !set.data)) return <PageSkeleton />
  const key = `gatehouse draft ${workspace ?? ''} ${id}`
  return <Draft key={key} storageKey={key} original={set.data?.source ?? FIRST_DOCUMENT} />
}
