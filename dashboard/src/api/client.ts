import createClient, { type Middleware } from 'openapi-fetch'
import { readError } from './api-error.ts'
import type { paths } from './schema.d.ts'
import { toNetworkError } from './unreachable-error.ts'
import { currentWorkspace } from './workspace.ts'

const WORKSPACE = 'x-gatehouse-workspace'

/** A request that names a Workspace keeps it. */
const sendWorkspace: Middleware = {
  onRequest({ request }) {
    const workspace = currentWorkspace()
    if (workspace !== undefined && !request.headers.has(WORKSPACE)) request.headers.set(WORKSPACE, workspace)
  },
}

const throwErrors: Middleware = {
  onError: ({ error }) => toNetworkError(error),
  async onResponse({ response }) {
    if (!response.ok) throw await readError(response)
  },
}

/** Typed client of docs/api/openapi.json. Error responses are thrown as ApiError. */
export const client = createClient<paths>({ baseUrl: '/', credentials: 'same-origin' })
client.use(sendWorkspace, throwErrors)
