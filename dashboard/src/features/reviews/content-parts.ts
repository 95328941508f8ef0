export type Fields = Readonly<Record<string, unknown>>

/** A message of a held request or completion. */
export interface Message {
  readonly role?: string
  readonly content?: unknown
  readonly [field: string]: unknown
}

interface Part {
  readonly text?: string
  readonly others: Fields
}

/** Splits content into texts and other fields. */
export function partsOf(content: unknown): readonly Part[] {
  if (typeof content === 'string') return [{ text: content, others: {} }]
  if (!Array.isArray(content)) return []
  return content.map((part: Fields) => {
    const { type, text, ...others } = part
    return typeof text !== 'string' ? { others: part } : { text, others: type === 'text' ? others : { type, ...others } }
  })
}

export const choicesIn = (completion: unknown): readonly Message[] =>
  (completion as { choices?: { message: Message }[] } | undefined)?.choices?.map(({ message }) => message) ?? []
