import { type Embedder, type EmbedFailure, invalid } from './embedder.ts'
import type { EmbeddingModel } from './model-store.ts'
import type { Embedding } from './vector-store.ts'

export const EMBED_CALL = { timeoutMs: 60_000, retries: 4 }
/** A harmless text. */
export const PROBE = 'Gatehouse'

export const isBlank = (text: string): boolean => text.trim() === ''

export type EntryEmbeddings = { readonly ok: true; readonly embeddings: readonly Embedding[] } | EmbedFailure

/**
 * Embeds these entries; a blank one gets no vector. If an available server refuses a batch, bisection finds the refused entry, which gets
 * no vector either, so that one text does not block the others.
 */
export async function embedEntries(
  all: readonly (readonly [id: string, text: string])[],
  embedder: Embedder,
  model: Pick<EmbeddingModel, 'dimensions'>,
): Promise<EntryEmbeddings> {
  const entries = all.filter(([, text]) => !isBlank(text))
  const blank = all.filter(([, text]) => isBlank(text)).map(([id]): Embedding => [id, null])
  if (entries.length === 0) return { ok: true, embeddings: blank }
  const result = await embedder.embed(
    entries.map(([, text]) => text),
    EMBED_CALL,
  )
  if (result.ok) {
    if (result.vectors[0]?.length !== model.dimensions) return invalid('dimensions')
    return { ok: true, embeddings: [...blank, ...entries.map(([id], place): Embedding => [id, result.vectors[place] ?? null])] }
  }
  // A server that embeds a harmless text has refused one of these.
  if (!mayBeCausedByText(result) || !(await embedder.embed([PROBE], EMBED_CALL)).ok) return result
  if (entries.length === 1) return { ok: true, embeddings: all.map(([id]) => [id, null]) }
  const middle = Math.ceil(entries.length / 2)
  const first = await embedEntries(entries.slice(0, middle), embedder, model)
  if (!first.ok) return { ...first, mayHaveArrived: true }
  const second = await embedEntries(entries.slice(middle), embedder, model)
  if (!second.ok) return { ...second, mayHaveArrived: true }
  return { ok: true, embeddings: [...blank, ...first.embeddings, ...second.embeddings] }
}

/** Failures of a text that is too long or malformed. Some servers respond with 500 or with unusable vectors. */
const mayBeCausedByText = ({ failure, status }: EmbedFailure): boolean =>
  failure === 'unusable' || failure === 'malformed' || (failure === 'status' && [400, 413, 422, 500].includes(status))
