/** Marks of a link within a text until its paragraphs are made. Letters of a page contain no control characters. */
const OPEN = '\u0001'
const ADDRESS_END = '\u0002'
export const CLOSE_LINK = '\u0003'

const MARKS = new RegExp(`(${OPEN}[^${OPEN}${ADDRESS_END}]*${ADDRESS_END}|${CLOSE_LINK})`)
/** The start of a link, as the source of a regular expression. */
export const LINK_START = `${OPEN}[^${OPEN}${ADDRESS_END}]*${ADDRESS_END}`

export const openLink = (address: string): string => `${OPEN}${address}${ADDRESS_END}`

/** Writes links as Markdown. A link that goes on in the next line is one link. An address that links to itself stays as it is. */
export function writeLinks(text: string): string {
  if (!text.includes(OPEN)) return text
  const writer = new LinkWriter()
  for (const part of text.split(MARKS)) {
    if (part.startsWith(OPEN)) writer.open(part.slice(1, -1))
    else if (part === CLOSE_LINK) writer.close()
    else writer.write(part)
  }
  return writer.end()
}

class LinkWriter {
  #result = ''
  #address: string | undefined
  #label = ''
  #closed = false
  /** White space between two parts of a link. */
  #gap = ''

  open(address: string): void {
    if (this.#address === address) this.#label += this.#gap
    else {
      this.end()
      this.#address = address
      this.#label = ''
    }
    this.#closed = false
    this.#gap = ''
  }

  close(): void {
    this.#closed = true
  }

  write(text: string): void {
    if (this.#address !== undefined && !this.#closed) this.#label += text
    else if (this.#address !== undefined && text.trim() === '') this.#gap += text
    else {
      this.end()
      this.#result += text
    }
  }

  end(): string {
    if (this.#address !== undefined) this.#result += markdownLink(this.#label, this.#address) + this.#gap
    this.#address = undefined
    this.#gap = ''
    return this.#result
  }
}

function markdownLink(label: string, address: string): string {
  if (bare(label) === bare(address)) return label
  const target = address.replace(/[()\s]/g, (mark) => `%${mark.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return `[${label.replace(/[[\]]/g, '\\$&')}](${target})`
}

const bare = (address: string): string =>
  address
    .replace(/\s/g, '')
    .replace(/^(?:https?:\/\/|mailto:)/i, '')
    .replace(/\/$/, '')
    .toLowerCase()
