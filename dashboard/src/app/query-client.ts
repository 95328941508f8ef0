import { QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError, hasStatus } from '../api/api-error.ts'

const FRESH_MS = 10_000
const TRIES = 2

/** A cache of what was read. `onSignedOut` hears of the first 401: the session has ended meanwhile. */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: (error) => hasStatus(error, 401) && onSignedOut() }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // What was refused is refused again; a server that cannot be reached may be back.
        retry: (failures, error) => failures < TRIES && !(error instanceof ApiError && error.status < 500),
      },
    },
  })
}
