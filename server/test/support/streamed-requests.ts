const message = (content: string) => [{ role: 'user', content }]

/** The path and the fields of a request in each client API. */
const REQUESTS = {
  chat: (prompt: string) => ({ path: '/v1/chat/completions', fields: { messages: message(prompt) } }),
  responses: (prompt: string) => ({ path: '/v1/responses', fields: { input: prompt } }),
  messages: (prompt: string) => ({ path: '/v1/messages', fields: { max_tokens: 900, messages: message(prompt) } }),
}
export type ClientApi = keyof typeof REQUESTS
export const CLIENT_APIS = Object.keys(REQUESTS) as ClientApi[]

export interface StreamedRequest {
  readonly api: ClientApi
  readonly prompt: string
  /** Key of the Application. */
  readonly token: string
  readonly model?: string
  /** Further fields of the body. */
  readonly more?: object
}

/** The parts of a request for a streamed response. */
export function streamedRequest({ api, prompt, token, model = 'scripted', more }: StreamedRequest) {
  const { path, fields } = REQUESTS[api](prompt)
  return {
    path,
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model, stream: true, ...fields, ...more }),
  }
}

/** Sends a request for a streamed response. Resolves with the headers. */
export function openStream(base: string, request: StreamedRequest): Promise<Response> {
  const { path, ...init } = streamedRequest(request)
  return fetch(`${base}${path}`, init)
}
