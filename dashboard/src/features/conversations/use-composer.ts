import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { notifyError } from '../../ui/notify.ts'
import { cacheHeldMessage } from './held-message-cache.ts'
import { useMember } from './member-context.ts'
import { type Attachment, memberKey } from './member-queries.ts'

/** Text and attachments of a new message. A denied message keeps both and sets `refusal`. */
export function useComposer(conversationId: string) {
  const { userId, client } = useMember()
  const queries = useQueryClient()
  const { files, setFiles, upload, removeFile, uploading } = useAttachments()
  const [text, setText] = useState('')
  const [sending, setSending] = useState(false)
  const [refusal, setRefusal] = useState<unknown>()
  const reset = () => {
    setText('')
    setFiles([])
  }
  const send = async () => {
    const message = text.trim()
    if (message === '' || sending || uploading) return
    setSending(true)
    setRefusal(undefined)
    try {
      const attachments = files.map(({ id }) => id)
      await client.POST('/v1/messages', { body: { conversation_id: conversationId, message, attachments } })
      reset()
      await queries.invalidateQueries({ queryKey: memberKey(userId, 'messages', conversationId) })
    } catch (error) {
      const reviewItemId = error instanceof ApiError ? error.reviewItemId : null
      if (reviewItemId === null) setRefusal(error)
      else {
        cacheHeldMessage(queries, userId, conversationId, { reviewItemId, state: 'pending', text: message })
        reset()
      }
    }
    setSending(false)
  }
  const busy = sending || uploading
  return { text, setText, files, upload, removeFile, send, busy, refusal, dismissRefusal: () => setRefusal(undefined) }
}

function useAttachments() {
  const { client } = useMember()
  const [files, setFiles] = useState<readonly Attachment[]>([])
  const [uploading, setUploading] = useState(false)
  const upload = async (selected: readonly File[]) => {
    setUploading(true)
    for (const file of selected) {
      try {
        // The OpenAPI document describes bytes as a string.
        const body = { file: file as unknown as string }
        const { data } = await client.POST('/v1/attachments', { body, bodySerializer: () => formWith(file) })
        if (data) setFiles((before) => [...before, data])
      } catch (error) {
        notifyError(error)
      }
    }
    setUploading(false)
  }
  const removeFile = (id: string) => {
    setFiles((before) => before.filter((file) => file.id !== id))
    client.DELETE('/v1/attachments/{id}', { params: { path: { id } } }).catch(notifyError)
  }
  return { files, setFiles, upload, removeFile, uploading }
}

function formWith(file: File): FormData {
  const form = new FormData()
  form.append('file', file)
  return form
}
