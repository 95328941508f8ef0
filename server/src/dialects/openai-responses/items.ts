import type { Fields } from './fields.ts'

export type Status = 'completed' | 'incomplete'

/** A reasoning item of a provider that gave it no id. */
export interface UnnamedReasoningItem extends Fields {
  readonly id?: string
  readonly type: 'reasoning'
  readonly summary: readonly { readonly type: 'summary_text'; readonly text: string }[]
  readonly content?: readonly { readonly type: 'reasoning_text'; readonly text: string }[]
  readonly encrypted_content?: string
  readonly signature?: string
  readonly format?: string
}
export type ReasoningItem = UnnamedReasoningItem & { readonly id: string }
export interface MessageItem extends Fields {
  readonly id: string
  readonly type: 'message'
  readonly content: readonly (TextPart | RefusalPart)[]
}
export interface TextPart {
  readonly type: 'output_text'
  readonly text: string
  readonly annotations: readonly Fields[]
  readonly logprobs: readonly unknown[]
}
export interface RefusalPart {
  readonly type: 'refusal'
  readonly refusal: string
}
export type CallItem = Fields & { readonly id: string } & (
    | { readonly type: 'function_call'; readonly name: string; readonly arguments: string }
    | { readonly type: 'custom_tool_call'; readonly input: string }
    | { readonly type: 'tool_search_call'; readonly arguments: Fields }
  )
export type OutputItem = ReasoningItem | MessageItem | CallItem
