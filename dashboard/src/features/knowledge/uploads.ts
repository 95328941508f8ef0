import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useReducer } from 'react'
import { refreshPaths } from '../../api/queries.ts'
import { uploadDocument } from '../../api/upload.ts'
import { describeError } from '../../ui/describe-error.ts'
import { keyed } from './upload-keys.ts'

export interface Upload {
  readonly id: number
  readonly name: string
  readonly state: 'waiting' | 'going' | 'added' | 'changed' | 'relabelled' | 'unchanged' | 'failed'
  /** How much of it has gone out, from 0 to 1. */
  readonly progress: number
  readonly documentId?: string | null
  readonly chunks?: number
  readonly flagged?: boolean
  readonly problem?: string
}

/** At once; the rest waits. */
const AT_ONCE = 2

type Update = Partial<Upload> & { readonly id: number }
type Action = { readonly add: readonly Upload[] } | { readonly update: Update } | { readonly clear: true }

function reduce(uploads: readonly Upload[], action: Action): readonly Upload[] {
  if ('clear' in action) return []
  if ('add' in action) return [...uploads, ...action.add]
  const { update } = action
  return uploads.map((upload) => (upload.id === update.id ? { ...upload, ...update } : upload))
}

let nextId = 0

/** Files on their way into a collection. */
export function useUploads(collectionId: string) {
  const [uploads, dispatch] = useReducer(reduce, [])
  const queries = useQueryClient()

  const add = useCallback(
    (files: readonly File[]) => {
      const waiting = keyed(files).map((one) => ({ ...one, id: nextId++ }))
      dispatch({ add: waiting.map(({ id, key: name }) => ({ id, name, state: 'waiting', progress: 0 })) })
      // One iterator for all: each takes what is next.
      const left = waiting.values()
      const worker = async () => {
        for (const { id, key, file } of left) {
          dispatch({ update: { id, state: 'going' } })
          const onProgress = (progress: number) => dispatch({ update: { id, progress } })
          const ended = await send({ collectionId, key, file, onProgress })
          dispatch({ update: { id, ...ended } })
        }
      }
      const workers = Array.from({ length: AT_ONCE }, worker)
      void Promise.all(workers).then(() => refreshPaths(queries, ['/admin/v1/documents']))
    },
    [collectionId, queries],
  )

  return { uploads, add, clear: () => dispatch({ clear: true }) }
}

interface Sending {
  readonly collectionId: string
  readonly key: string
  readonly file: File
  readonly onProgress: (share: number) => void
}

async function send({ collectionId, key, file, onProgress }: Sending): Promise<Partial<Upload>> {
  try {
    const { outcome, document_id, chunks, flags, error } = await uploadDocument({
      collectionId,
      key,
      file,
      onProgress,
    })
    return { state: outcome, documentId: document_id, chunks, flagged: flags !== null, ...(error && { problem: error.message }) }
  } catch (error) {
    return { state: 'failed', problem: describeError(error).message }
  }
}
