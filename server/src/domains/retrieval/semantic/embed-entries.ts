import type { Embedded, EmbedFailure } from './embedder.ts'
import type { Embedding } from './vector-store.ts'

interface EmbedContext {
  readonly embed: (texts: readonly string[]) => Promise<Embedded>
  readonly dimensions: number
  /** Whether the server embeds a harmless text. */
  readonly isServerAvailable: () => Promise<boolean>
}

type EntryEmbeddings = { readonly ok: true; readonly embeddings: readonly Embedding[] } | EmbedFailure

/**
 * Embeds these entries. If an available server refuses a batch, bisection finds the refused entry, which gets no vector, so that one
 * text does not block the others.
 */
export async function embedEntries(
  entries: readonly (readonly [id: string, text: string])[],
  context: EmbedContext,
): Promise<EntryEmbeddings> {
  const withText = entries.filter(([, text]) => text.trim() !== '')
  const blank = entries.filter(([, text]) => text.trim() === '').map(([id]): Embedding => [id, null])
  const result = await embedTexts(withText, context)
  return result.ok ? { ok: true, embeddings: [...blank, ...result.embeddings] } : result
}

async function embedTexts(
  entries: readonly (readonly [id: string, text: string])[],
  context: EmbedContext,
): Promise<EntryEmbeddings> {
  if (entries.length === 0) return { ok: true, embeddings: [] }
  const result = await context.embed(entries.map(([, text]) => text))
  if (result.ok) {
    if (result.vectors[0]?.length !== context.dimensions) return { ok: false, failure: 'dimensions', status: 200 }
    return { ok: true, embeddings: entries.map(([id], place) => [id, result.vectors[place] ?? null]) }
  }
  if (!mayBeCausedByText(result) || !(await context.isServerAvailable())) return result
  const [only] = entries
  if (only && entries.length === 1) return { ok: true, embeddings: [[only[0], null]] }
  const middle = Math.ceil(entries.length / 2)
  const first = await embedTexts(entries.slice(0, middle), context)
  if (!first.ok) return first
  const second = await embedTexts(entries.slice(middle), context)
  return second.ok ? { ok: true, embeddings: [...first.embeddings, ...second.embeddings] } : second
}

/** Failures of a text that is too long or malformed. Some servers respond with 500 or with unusable vectors. */
const mayBeCausedByText = ({ failure, status }: EmbedFailure): boolean =>
  failure === 'unusable' || failure === 'malformed' || (failure === 'status' && [400, 413, 422, 500].includes(status))
