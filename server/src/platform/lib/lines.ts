/** Longer than any line that the server writes. */
const MAX_LINE_LENGTH = 2 ** 26

/**
 * The lines of a text that arrives in pieces, without their line breaks (LF or CRLF). Not `node:readline`, which also splits at U+2028 and U+2029:
 * JSON text may contain them. Takes time in proportion to the text. Throws a TypeError if a line has more than `maxLength` characters.
 */
export async function* linesOf(chunks: AsyncIterable<string | Buffer>, maxLength = MAX_LINE_LENGTH): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let pieces: string[] = []
  let length = 0
  for await (const chunk of chunks) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    const lines = text.split('\n')
    const rest = lines.pop() ?? ''
    for (const line of lines) {
      yield withoutReturn(pieces.length === 0 ? line : pieces.join('') + line)
      pieces = []
      length = 0
    }
    length += rest.length
    if (length > maxLength) throw new TypeError(`it has a line of more than ${maxLength} characters`)
    // Joined once, because joining with each chunk would take quadratic time for a long line.
    if (rest !== '') pieces.push(rest)
  }
  if (pieces.length > 0) yield withoutReturn(pieces.join(''))
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line)
