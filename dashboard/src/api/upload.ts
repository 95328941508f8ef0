import { ApiError, parseError } from './api-error.ts'
import type { AnswerOf } from './operations.ts'
import { Unreachable } from './unreachable.ts'
import { currentWorkspace } from './workspace.ts'

type Outcome = AnswerOf<'post', '/admin/v1/collections/{id}/documents'>['data'][number]

interface Upload {
  readonly collectionId: string
  readonly key: string
  readonly file: Blob
  /** From 0 to 1, as the file goes out. */
  readonly onProgress: (share: number) => void
}

/** Brings a file into a collection. Unlike the typed client it tells how far it is: `fetch` does not know. */
export function uploadDocument({ collectionId, key, file, onProgress }: Upload): Promise<Outcome> {
  const request = new XMLHttpRequest()
  request.open('POST', `/admin/v1/collections/${encodeURIComponent(collectionId)}/documents?key=${encodeURIComponent(key)}`)
  // What kind of file it is, the server sees by its name and its content.
  request.setRequestHeader('content-type', 'application/octet-stream')
  const workspace = currentWorkspace()
  if (workspace !== undefined) request.setRequestHeader('x-gatehouse-workspace', workspace)
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total))
  request.addEventListener('error', () => reject(new Unreachable()))
  request.addEventListener('load', () => {
    const body = jsonOf(request.responseText)
    const outcome = request.status === 200 ? (body.data as Outcome[] | undefined)?.[0] : undefined
    if (outcome) resolve(outcome)
    else reject(new ApiError(request.status, parseError(body), request.getResponseHeader('x-request-id')))
  })
  request.send(file)
  return promise
}

function jsonOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
