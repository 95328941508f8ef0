/** One `data:` event of a chat stream. */
export interface Chunk {
  readonly id: string
  readonly object: string
  readonly created: number
  readonly model: string
  readonly choices: readonly {
    readonly index: number
    readonly delta: { readonly role?: string; readonly content?: string; readonly [field: string]: unknown }
    readonly finish_reason: string | null
  }[]
  readonly usage?: Readonly<Record<string, number>>
  readonly governance?: { readonly audit_id: string }
}

/** The events of a chat stream. Throws unless each is one `data:` line and the last is `[DONE]`. */
export function parseChunks(text: string): Chunk[] {
  const events = text.split('\n\n')
  if (events.pop() !== '') throw new Error('the stream does not end with an empty line')
  if (events.pop() !== 'data: [DONE]') throw new Error('the stream does not end with [DONE]')
  return events.map((event) => {
    if (!event.startsWith('data: ') || event.includes('\n')) throw new Error(`not a data event: ${event}`)
    return JSON.parse(event.slice('data: '.length))
  })
}

export const streamedContent = (chunks: readonly Chunk[], choice = 0): string =>
  chunks
    .flatMap(({ choices }) => choices)
    .filter(({ index }) => index === choice)
    .map(({ delta }) => delta.content ?? '')
    .join('')
