import { QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError, hasStatus } from '../api/api-error.ts'

const FRESH_MS = 10_000
const MAX_RETRIES = 2

/** Creates the query cache. `onSignedOut` is called if a query gets 401 because the session has ended. */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: (error) => hasStatus(error, 401) && onSignedOut() }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // A retry helps if the server is unreachable or failed, not if it refused the request.
        retry: (failures, error) => failures < MAX_RETRIES && !(error instanceof ApiError && error.status < 500),
      },
    },
  })
}
