import createClient, { type Middleware } from 'openapi-fetch'
import { readError } from './api-error.ts'
import type { paths } from './schema.d.ts'
import { asUnreachable } from './unreachable.ts'
import { currentWorkspace } from './workspace.ts'

const inWorkspace: Middleware = {
  onRequest({ request }) {
    const workspace = currentWorkspace()
    if (workspace !== undefined) request.headers.set('x-gatehouse-workspace', workspace)
  },
}

const failuresAreThrown: Middleware = {
  onError: ({ error }) => asUnreachable(error),
  async onResponse({ response }) {
    if (!response.ok) throw await readError(response)
  },
}

/** The API as docs/api/openapi.json has it. Refusals are thrown, as ApiError. */
export const client = createClient<paths>({ baseUrl: '/', credentials: 'same-origin' })
client.use(inWorkspace, failuresAreThrown)
