import { useParams, useNavigate as useRouterNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

type Search = Readonly<Record<string, unknown>>

/** Value of `$name` in the page's path. */
export function usePathParam(name: string): string {
  const params: Record<string, string> = useParams({ strict: false })
  return params[name] ?? ''
}

/** Changes of filters, as texts of the URL: `read` ignores values that are none of the filter. */
type Changes<F> = { readonly [Name in keyof F]?: F[Name] | string | undefined }

/** Filters in the page's URL, so that links include them. Setting a filter to undefined removes it. */
export function useFilters<F extends object>(read: (search: Search) => F): [F, (changes: Changes<F>) => void] {
  const search: Search = useSearch({ strict: false })
  const navigate = useRouterNavigate()
  const set = useCallback(
    (changes: Changes<F>) => {
      void navigate({ to: '.', replace: true, search: (before: Search) => withoutEmpty({ ...before, ...changes }) })
    },
    [navigate],
  )
  return [read(search), set]
}

const withoutEmpty = (search: Search): Search =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined && value !== '' && value !== null))

/** A query parameter as text. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined

/** A query parameter if it is one of `values`. */
export const oneOf = <V extends string>(values: readonly V[], value: unknown): V | undefined =>
  values.find((one) => one === value)

/** Navigates to a page of the dashboard and keeps the Workspace. `hash` starts with #. */
export function useNavigateTo(): (to: string, search?: Search, hash?: string) => void {
  const navigate = useRouterNavigate()
  return useCallback(
    (to, search = {}, hash = '') => void navigate({ to, search, ...(hash && { hash: hash.slice(1) }) }),
    [navigate],
  )
}

/** Navigates to a page with the same query. */
export function useNavigateWithin(): (to: string) => void {
  const navigate = useRouterNavigate()
  return useCallback((to) => void navigate({ to, search: (before: Search) => before }), [navigate])
}
