/** Most servers accept this many texts at once, and some accept no more. */
export const BATCH_TEXTS = 32
const BATCH_TOKENS = 16_000
/** Only the beginning of a longer text is embedded; large models read about this many tokens. */
const TEXT_TOKENS = 8_000
/** Bytes of UTF-8, a cautious estimate: English has four to five, Chinese about three. */
const BYTES_PER_TOKEN = 3

const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)

/** The beginning of `text` that a model reads. Never splits a surrogate pair. */
export function cutText(text: string): string {
  const most = TEXT_TOKENS * BYTES_PER_TOKEN
  if (Buffer.byteLength(text) <= most) return text
  let kept = text.slice(0, most)
  while (Buffer.byteLength(kept) > most) kept = kept.slice(0, Math.floor((kept.length * most) / Buffer.byteLength(kept)))
  return kept.isWellFormed() ? kept : kept.slice(0, -1)
}

/** Groups texts in their order into batches with limited numbers of texts and tokens. */
export function batchesOf(texts: readonly string[]): readonly (readonly string[])[] {
  const batches: string[][] = []
  let tokens = Number.POSITIVE_INFINITY
  for (const text of texts) {
    const last = batches.at(-1)
    const own = tokensOf(text)
    if (last && last.length < BATCH_TEXTS && tokens + own <= BATCH_TOKENS) {
      last.push(text)
      tokens += own
    } else {
      batches.push([text])
      tokens = own
    }
  }
  return batches
}
