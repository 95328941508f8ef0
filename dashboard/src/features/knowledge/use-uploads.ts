import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useReducer } from 'react'
import { refreshPaths } from '../../api/queries.ts'
import { uploadDocument } from '../../api/upload.ts'
import { describeError } from '../../ui/describe-error.ts'
import { withKeys } from './file-keys.ts'

export interface Upload {
  readonly id: number
  /** Key of the document. */
  readonly name: string
  readonly file: File
  readonly state: 'queued' | 'uploading' | 'added' | 'changed' | 'relabelled' | 'unchanged' | 'failed'
  /** Sent share, from 0 to 1. */
  readonly progress: number
  readonly documentId?: string | null
  readonly chunks?: number
  readonly flagged?: boolean
  readonly warnings?: number
  readonly problem?: string | undefined
}

const CONCURRENT_UPLOADS = 2

type Update = Partial<Upload> & { readonly id: number }
type Action = { readonly add: readonly Upload[] } | { readonly update: Update } | { readonly clear: true }

function reduce(uploads: readonly Upload[], action: Action): readonly Upload[] {
  if ('clear' in action) return []
  if ('add' in action) return [...uploads, ...action.add]
  const { update } = action
  return uploads.map((upload) => (upload.id === update.id ? { ...upload, ...update } : upload))
}

let nextId = 0

export function useUploads(collectionId: string) {
  const [uploads, dispatch] = useReducer(reduce, [])
  const queries = useQueryClient()

  const start = useCallback(
    async (queued: readonly Upload[]) => {
      // Workers share one iterator, so each file is uploaded once.
      const remaining = queued.values()
      const worker = async () => {
        for (const { id, name: key, file } of remaining) {
          dispatch({ update: { id, state: 'uploading' } })
          const onProgress = (progress: number) => dispatch({ update: { id, progress } })
          const outcome = await upload({ collectionId, key, file, onProgress })
          dispatch({ update: { id, ...outcome } })
          void refreshPaths(queries, ['/admin/v1/documents'])
        }
      }
      await Promise.all(Array.from({ length: CONCURRENT_UPLOADS }, worker))
    },
    [collectionId, queries],
  )

  const add = useCallback(
    (files: readonly File[]) => {
      const queued = withKeys(files).map(
        ({ file, key }): Upload => ({ id: nextId++, name: key, file, state: 'queued', progress: 0 }),
      )
      dispatch({ add: queued })
      void start(queued)
    },
    [start],
  )

  const retry = (failed: Upload) => {
    dispatch({ update: { id: failed.id, state: 'queued', progress: 0, problem: undefined } })
    void start([failed])
  }

  return { uploads, add, retry, clear: () => dispatch({ clear: true }) }
}

async function upload(options: Parameters<typeof uploadDocument>[0]): Promise<Partial<Upload>> {
  try {
    const { outcome, document_id, chunks, flags, warnings, error } = await uploadDocument(options)
    return {
      ...{ state: outcome, documentId: document_id, chunks, flagged: flags !== null, warnings: warnings?.length ?? 0 },
      ...(error && { problem: error.message }),
    }
  } catch (error) {
    return { state: 'failed', problem: describeError(error).message }
  }
}
