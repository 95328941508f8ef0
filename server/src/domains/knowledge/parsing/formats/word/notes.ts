import type { Block } from '../office/blocks.ts'
import { formatNumber } from '../office/counters.ts'
import { childrenOf, type XmlElement } from '../xml.ts'

/** The foot- and endnotes of a Word file. Each follows the paragraph that refers to it. */
export class Notes {
  readonly #texts: Readonly<Record<string, ReadonlyMap<string, XmlElement>>>
  readonly #counts = { 'w:footnoteReference': 0, 'w:endnoteReference': 0 }
  readonly #read: (note: XmlElement, kind: 'footnotes' | 'endnotes') => string

  constructor(
    footnotes: XmlElement | undefined,
    endnotes: XmlElement | undefined,
    read: (note: XmlElement, kind: 'footnotes' | 'endnotes') => string,
  ) {
    const byId = (part: XmlElement | undefined, name: string) =>
      new Map(childrenOf(part, name).map((note) => [note.attributes.id ?? '', note]))
    this.#texts = {
      'w:footnoteReference': byId(footnotes, 'w:footnote'),
      'w:endnoteReference': byId(endnotes, 'w:endnote'),
    }
    this.#read = read
  }

  /** The mark of a reference and the note's text. A note with a mark of its own has it in the text. */
  refer(reference: XmlElement): { readonly mark: string; readonly block: Block } | undefined {
    const note = this.#texts[reference.name]?.get(reference.attributes.id ?? '')
    if (!note) return undefined
    const isFootnote = reference.name === 'w:footnoteReference'
    const text = this.#read(note, isFootnote ? 'footnotes' : 'endnotes')
    const hasOwnMark = /^(?:1|true|on)$/.test(reference.attributes.customMarkFollows ?? '')
    if (hasOwnMark) return { mark: '', block: { text } }
    const count = ++this.#counts[isFootnote ? 'w:footnoteReference' : 'w:endnoteReference']
    const label = `[^${isFootnote ? count : formatNumber(count, 'lowerRoman')}]`
    return { mark: label, block: { text: text && `${label}: ${text}` } }
  }
}
