import { useCallback, useMemo } from 'react'
import { useRead } from '../../api/queries.ts'

const FRESH_MS = 60_000

/** Names of operators and admin tokens by their keyed hashes in records. Users have none. */
export function useActorNames() {
  const { data } = useRead('/admin/v1/audit/actors', {}, { staleTime: FRESH_MS })
  const names = useMemo(() => new Map(data?.data.map(({ user_id, name }) => [user_id, name])), [data])
  const actorOf = useCallback((hash: string): string | undefined => names.get(hash), [names])
  return { actorOf }
}
