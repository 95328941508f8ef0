const message = (content: string) => [{ role: 'user', content }]

const REQUESTS = {
  chat: (prompt: string) => ({ path: '/v1/chat/completions', fields: { messages: message(prompt) } }),
  responses: (prompt: string) => ({ path: '/v1/responses', fields: { input: prompt } }),
  messages: (prompt: string) => ({ path: '/v1/messages', fields: { max_tokens: 900, messages: message(prompt) } }),
}
export type ClientApi = keyof typeof REQUESTS
export const CLIENT_APIS = Object.keys(REQUESTS) as ClientApi[]

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
export function openStream(
  base: string,
  { api, prompt, token, model = 'scripted', fields: more }: StreamedRequest,
): Promise<Response> {
  const { path, fields } = REQUESTS[api](prompt)
  return fetch(`${base}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model, stream: true, ...fields, ...more }),
  })
}
