import { useRef } from 'react'
import { useAll } from '../../api/queries.ts'
import type { PolicySet } from '../../api/schema.d.ts'

/** Base version of a Workspace without policies (API value). */
export const NO_VERSION = 'none'

export const baseOf = (active: PolicySet | undefined): string => active?.id ?? NO_VERSION

/** Id of the version that was active when the page was opened. Undefined while loading. See decision 0021. */
export function useBaseVersion(): string | undefined {
  const { items } = useAll('/admin/v1/policy-sets', {}, { staleTime: 0 })
  const base = useRef<string>(undefined)
  if (items) base.current ??= baseOf(items.find(({ active }) => active))
  return base.current
}
