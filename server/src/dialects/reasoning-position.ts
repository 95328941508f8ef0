import type { Fields } from '../platform/lib/untrusted-json.ts'

/** The content and the calls of a message before a piece of its reasoning. In an entry of `reasoning_details`, an absent field is 0. */
export interface Position {
  readonly characters: number
  readonly calls: number
}

export const positionFields = ({ characters, calls }: Position): Fields => ({
  ...(characters > 0 && { start_index: characters }),
  ...(calls > 0 && { call_index: calls }),
})

/** Whether a text that was written in pieces has the other one. Line breaks between the pieces are not part of them. */
export const containsText = (pieces: readonly string[], text: string): boolean =>
  spaceless(pieces.join('')).includes(spaceless(text))

const spaceless = (text: string): string => text.replaceAll(/\s+/g, '')
