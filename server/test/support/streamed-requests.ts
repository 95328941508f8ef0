const message = (content: string) => [{ role: 'user', content }]

/** Path and body of each client API, for a prompt of one message. */
export const CLIENTS = {
  chat: { path: '/v1/chat/completions', body: (content: string) => ({ messages: message(content) }) },
  responses: { path: '/v1/responses', body: (input: string) => ({ input }) },
  messages: { path: '/v1/messages', body: (content: string) => ({ max_tokens: 900, messages: message(content) }) },
}
export type ClientApi = keyof typeof CLIENTS
export const CLIENT_APIS = Object.keys(CLIENTS) as ClientApi[]
/** The Messages API needs it, the others ignore it. */
export const VERSION = { 'anthropic-version': '2023-06-01' }

interface StreamedRequest {
  readonly api: ClientApi
  readonly prompt: string
  /** Key of the Application. */
  readonly token: string
  readonly model?: string
  /** Others of the body. */
  readonly fields?: object
}

/** Sends a request for a streamed response. Resolves with the headers. */
export function openStream(base: string, { api, prompt, token, model = 'scripted', fields }: StreamedRequest): Promise<Response> {
  const { path, body } = CLIENTS[api]
  return fetch(`${base}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...VERSION },
    body: JSON.stringify({ model, stream: true, ...body(prompt), ...fields }),
  })
}
