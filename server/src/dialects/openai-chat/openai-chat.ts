import type { Origin } from '../../domain/original-request.ts'
import type { ClientDialect, ResponseEncoder } from '../client-dialect.ts'
import { chatChunks, growingChunks } from './chunks.ts'

const encoder = (includeUsage: boolean): ResponseEncoder => ({
  toJson: (_completion, json, governance) => `${json.slice(0, -1)},"governance":${JSON.stringify(governance)}}`,
  toEvents: (completion, governance) => chatChunks(completion, { includeUsage, governance: JSON.stringify(governance) }),
  grow: (head, governance) => growingChunks(head, { includeUsage, governance: JSON.stringify(governance) }),
})

const asFields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

const originsOf = (messages: unknown): readonly Origin[] =>
  (Array.isArray(messages) ? messages : []).map((_, index) => ({ from: index, to: index }))

/** The chat completions API: https://platform.openai.com/docs/api-reference/chat. */
export const openaiChat: ClientDialect = {
  name: 'openai-chat',
  decode: (body) => ({
    ok: true,
    chat: body,
    fieldOf: (param) => param,
    encoder: encoder(asFields(asFields(body).stream_options).include_usage === true),
    origins: originsOf(asFields(body).messages),
  }),
}
