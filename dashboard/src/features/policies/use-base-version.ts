import { useRef } from 'react'
import type { ItemOf } from '../../api/operations.ts'
import { useAll } from '../../api/queries.ts'

type PolicySet = ItemOf<'/admin/v1/policy-sets'>

/** How the API calls the base of a Workspace without policies. */
const NO_VERSION = 'none'

export const baseOf = (active: PolicySet | undefined): string => active?.id ?? NO_VERSION

/**
 * The version that was in force when the page was opened: what is published from here replaces that one, and no version that
 * somebody published since. Undefined while it is read.
 */
export function useBaseVersion(): string | undefined {
  const { items } = useAll('/admin/v1/policy-sets', {}, { staleTime: 0 })
  const opened = useRef<string>(undefined)
  if (items) opened.current ??= baseOf(items.find(({ active }) => active))
  return opened.current
}
