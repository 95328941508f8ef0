/** About 24 characters, up to the end of a word. Only words of over 32 letters are split (GW-SSE-3). */
const PIECE = /[\s\S]{1,18}\S{0,32}/gu
/** A longer text is split while it is sent, because a stream of megabytes has hundreds of thousands of parts. */
const SHORT = 16_384

export const pieces = (text: string): Iterable<string> => (text.length > SHORT ? splitOneByOne(text) : (text.match(PIECE) ?? []))

function* splitOneByOne(text: string): Generator<string> {
  for (const [piece] of text.matchAll(PIECE)) yield piece
}
