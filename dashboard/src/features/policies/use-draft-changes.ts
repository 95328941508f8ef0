import { useQuery } from '@tanstack/react-query'
import { sendRequest } from '../../api/operations.ts'
import type { PolicySet } from '../../api/schema.d.ts'
import type { Changes } from './rule-changes.tsx'
import { rulesIn } from './rule-document.ts'

const PATH = '/admin/v1/policy-sets/{id}/diff'

/** The changes of a document since the active version; without one, all rules are added. */
export function useDraftChanges(source: string, active: PolicySet | undefined) {
  return useQuery({
    queryKey: [PATH, active?.id, source],
    queryFn: ({ signal }): Promise<Changes> | Changes =>
      active ? sendRequest('post', PATH, { params: { path: { id: active.id } }, body: { source } }, signal) : allAdded(source),
  })
}

const allAdded = (source: string): Changes => ({
  added: rulesIn(source).map(({ id }) => id),
  removed: [],
  changed: [],
  reordered: false,
  texts: [],
})
