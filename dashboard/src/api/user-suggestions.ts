import { useState } from 'react'
import { useRead } from './queries.ts'
import { useScopes } from './session.ts'

const LIMIT = 8

/** Completes the user id that is typed into a filter from the directory, which needs the scope people:read. */
export function useUserSuggestions() {
  const [typed, setTyped] = useState('')
  const isAllowed = useScopes().hasScope('people:read')
  const search = typed.trim()
  const { data } = useRead(
    '/admin/v1/users',
    { params: { query: { limit: LIMIT, ...(search && { search }) } } },
    { enabled: isAllowed && search !== '', keepPrevious: true },
  )
  if (!isAllowed) return {}
  const users = search === '' ? [] : (data?.data ?? [])
  const suggestions = users.map(({ id, username, department }) => ({
    value: id,
    description: [username, department].filter((text) => text && text !== id).join(', '),
  }))
  return { suggestions, onSearch: setTyped }
}
