import type { Embedded, EmbedFailure } from './embedder.ts'
import type { Embedding } from './vector-store.ts'

interface How {
  readonly embed: (texts: readonly string[]) => Promise<Embedded>
  readonly dimensions: number
  /** Whether the server answers a text that nobody could mind. */
  readonly isWell: () => Promise<boolean>
}

type Made = { readonly ok: true; readonly embeddings: readonly Embedding[] } | EmbedFailure

/**
 * The embeddings of these entries. Where the server is well but refuses a batch, the entry that it minds is found by halving, and
 * goes without: one text must not keep all others from being found.
 */
export async function embedEntries(entries: readonly (readonly [id: string, text: string])[], how: How): Promise<Made> {
  const written = entries.filter(([, text]) => text.trim() !== '')
  const blank = entries.filter(([, text]) => text.trim() === '').map(([id]): Embedding => [id, null])
  const made = await embedWritten(written, how)
  return made.ok ? { ok: true, embeddings: [...blank, ...made.embeddings] } : made
}

async function embedWritten(entries: readonly (readonly [id: string, text: string])[], how: How): Promise<Made> {
  if (entries.length === 0) return { ok: true, embeddings: [] }
  const answer = await how.embed(entries.map(([, text]) => text))
  if (answer.ok) {
    if (answer.vectors[0]?.length !== how.dimensions) return { ok: false, failure: 'dimensions', status: 200 }
    return { ok: true, embeddings: entries.map(([id], place) => [id, answer.vectors[place] ?? null]) }
  }
  if (!mayBeTheText(answer) || !(await how.isWell())) return answer
  const [only] = entries
  if (only && entries.length === 1) return { ok: true, embeddings: [[only[0], null]] }
  const middle = Math.ceil(entries.length / 2)
  const first = await embedWritten(entries.slice(0, middle), how)
  if (!first.ok) return first
  const second = await embedWritten(entries.slice(middle), how)
  return second.ok ? { ok: true, embeddings: [...first.embeddings, ...second.embeddings] } : second
}

/** Too long, or in a form that the server does not know; some answer that with 500, or with vectors of nothing. */
const mayBeTheText = ({ failure, status }: EmbedFailure): boolean =>
  failure === 'unusable' || failure === 'malformed' || (failure === 'status' && [400, 413, 422, 500].includes(status))
