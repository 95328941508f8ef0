import { ApiError, parseError } from './api-error.ts'
import type { Ingest } from './schema.d.ts'
import { UnreachableError } from './unreachable-error.ts'
import { currentWorkspace } from './workspace.ts'

type Outcome = Ingest['data'][number]

interface Upload {
  readonly collectionId: string
  readonly key: string
  readonly file: Blob
  /** Called with the sent share, from 0 to 1. */
  readonly onProgress: (share: number) => void
}

/** Uploads a file into a collection. Uses XMLHttpRequest, because `fetch` reports no upload progress. */
export function uploadDocument({ collectionId, key, file, onProgress }: Upload): Promise<Outcome> {
  const request = new XMLHttpRequest()
  request.open('POST', `/admin/v1/collections/${encodeURIComponent(collectionId)}/documents?key=${encodeURIComponent(key)}`)
  // The server detects the file type from name and content.
  request.setRequestHeader('content-type', 'application/octet-stream')
  const workspace = currentWorkspace()
  if (workspace !== undefined) request.setRequestHeader('x-gatehouse-workspace', workspace)
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total))
  request.addEventListener('error', () => reject(new UnreachableError()))
  request.addEventListener('load', () => {
    const body = parseJson(request.responseText)
    const outcome = request.status === 200 ? (body.data as Outcome[] | undefined)?.[0] : undefined
    if (outcome) resolve(outcome)
    else reject(new ApiError(request.status, parseError(body), request.getResponseHeader('x-request-id')))
  })
  request.send(file)
  return promise
}

function parseJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
