/** About 24 characters, up to the end of a word. Only words of over 32 letters are split (GW-SSE-3). */
const PIECE = /[\s\S]{1,18}\S{0,32}/gu

/** The parts in which a stream sends a text. Joined, they are the text. */
export const pieces = (text: string): readonly string[] => text.match(PIECE) ?? []
