import { useParams, useNavigate as useRouterNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

type Search = Readonly<Record<string, unknown>>

/** What stands for `$name` in the page's path. */
export function usePathParam(name: string): string {
  const params: Record<string, string> = useParams({ strict: false })
  return params[name] ?? ''
}

/**
 * Filters, kept in the page's address so that they can be linked to: `read` takes from the query what it understands, and
 * setting a filter to undefined takes it out. `const [filters, setFilters] = useFilters(readFilters)`.
 */
export function useFilters<F extends object>(read: (search: Search) => F): [F, (changes: Partial<F>) => void] {
  const search: Search = useSearch({ strict: false })
  const navigate = useRouterNavigate()
  const set = useCallback(
    (changes: Partial<F>) => {
      void navigate({ to: '.', replace: true, search: (before: Search) => withoutEmpty({ ...before, ...changes }) })
    },
    [navigate],
  )
  return [read(search), set]
}

const withoutEmpty = (search: Search): Search =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined && value !== '' && value !== null))

/** A text from the query, where it is one. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined

/** One of the words that are allowed there, from the query. */
export const oneOf = <W extends string>(words: readonly W[], value: unknown): W | undefined =>
  words.find((word) => word === value)

/** Goes to another page of the dashboard; the Workspace stays. */
export function useGo(): (to: string, search?: Search) => void {
  const navigate = useRouterNavigate()
  return useCallback((to, search = {}) => void navigate({ to, search }), [navigate])
}
