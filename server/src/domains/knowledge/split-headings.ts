interface Split {
  readonly headings: readonly string[]
  readonly content: string
}

/** A longer line is not a heading (chunking/blocks.ts). */
const MAX_LINE = 400
const MARK = /^#{1,6} +/

/** Moves the headings at the start of a chunk's text into its list of headings. */
export function splitHeadings(content: string, path: readonly string[]): Split {
  const headings = [...path]
  let text = content
  for (;;) {
    const end = text.slice(0, MAX_LINE).indexOf('\n')
    const mark = end < 0 ? undefined : MARK.exec(text.slice(0, end))?.[0]
    const rest = text.slice(end).replace(/^\n+/, '')
    if (mark === undefined || rest === '') return { headings, content: text }
    const heading = withoutClosingMarks(text.slice(mark.length, end))
    if (!headings.includes(heading)) headings.push(heading)
    text = rest
  }
}

/** `Name ##` is `Name`. */
function withoutClosingMarks(line: string): string {
  const text = line.trimEnd()
  const name = text.replace(/#+$/, '')
  return name !== text && name.endsWith(' ') ? name.trimEnd() : text
}
